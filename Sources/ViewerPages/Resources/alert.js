// The pages by which a receiver confirms an alert: they work without this, in English.

import { languages, translatePage } from "./strings.js";

const words = {
  en: {
    alertTitle: "Do you take care of it?", alertTake: "I take care of it",
    alertText: "Then nobody else is told again, and the runner hears that you do.",
    alertTaken: "Thank you",
    alertTakenText: "You or somebody else takes care, and the runner is told, or it is over. The message that you got has the live link.",
  },
  ko: {
    alertTitle: "맡으시겠습니까?", alertTake: "제가 맡겠습니다",
    alertText: "그러면 다른 사람에게 다시 알리지 않고, 달리는 사람에게 알려 줍니다.",
    alertTaken: "고맙습니다",
    alertTakenText: "당신이나 다른 사람이 맡아 달리는 사람에게 알렸거나, 이미 끝났습니다. 실시간 링크는 받은 메시지에 있습니다.",
  },
};

for (const [language, own] of Object.entries(words)) Object.assign(languages[language], own);
translatePage(document, navigator.languages);
