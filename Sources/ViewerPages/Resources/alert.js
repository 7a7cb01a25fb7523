// The pages by which a receiver confirms an alert: they work without this, in English.

import { find, setText } from "./dom.js";
import * as format from "./format.js";
import { languages, translatePage } from "./strings.js";

const words = {
  en: {
    alertTitle: "Do you take care of it?", alertTake: "I take care of it",
    alertText: "Then nobody else is told again, and the runner hears that you do.",
    alertTakenText: "The message that you got has the live link, as long as it goes on.",
    alertBy: "{name} takes care of it, and the runner is told.", alertOver: "It is over.",
    alertSince: "Since {time}.",
    what_: "Somebody needs you", what_sos: "{runner} calls for help", what_fall: "{runner} fell",
    what_noMovement: "{runner} does not move",
    what_safetyTimer: "{runner}'s safety timer has run out",
    what_offCourse: "{runner} left the course", what_overdue: "{runner} is overdue",
    what_silent: "No sign of {runner}",
  },
  ko: {
    alertTitle: "맡으시겠습니까?", alertTake: "제가 맡겠습니다",
    alertText: "그러면 다른 사람에게 다시 알리지 않고, 달리는 사람에게 알려 줍니다.",
    alertTakenText: "받은 메시지에 실시간 링크가 있습니다. 알림이 끝나면 링크도 끝납니다.",
    alertBy: "{name} 님이 맡았고 달리는 사람에게 알렸습니다.", alertOver: "이미 끝났습니다.",
    alertSince: "{time}부터.",
    what_: "누군가 도움이 필요합니다", what_sos: "{runner} 님이 도움을 요청합니다", what_fall: "{runner} 님이 넘어졌습니다",
    what_noMovement: "{runner} 님이 움직이지 않습니다",
    what_safetyTimer: "{runner} 님의 안전 타이머가 끝났습니다",
    what_offCourse: "{runner} 님이 코스를 벗어났습니다", what_overdue: "{runner} 님이 늦어지고 있습니다",
    what_silent: "{runner} 님에게서 소식이 없습니다",
  },
};

for (const [language, own] of Object.entries(words)) Object.assign(languages[language], own);
const t = translatePage(document, navigator.languages);

const what = find(".what");
if (words.en[`what_${what?.dataset.alert}`]) {
  setText(what, t(`what_${what.dataset.alert}`, { runner: what.dataset.runner }));
}
const since = find(".since");
if (since?.dataset.seconds) {
  setText(since, t("alertSince", { time: format.date(Number(since.dataset.seconds), t.locale) }));
}
const state = find(".state");
if (state?.textContent) {
  setText(state, state.dataset.by ? t("alertBy", { name: state.dataset.by }) : t("alertOver"));
}
