// Every word the pages say. To add a language, add a table; a missing key falls back to English.

export const languages = {
  en: {
    heartRate: "Heart rate", cadence: "Cadence", pace: "Pace", gradeAdjustedPace: "Grade pace",
    distance: "Distance", movingTime: "Moving time", elapsedTime: "Elapsed", climb: "Climb",
    averageHeartRate: "Average HR", maxHeartRate: "Max HR", steps: "Steps", bpm: "bpm",
    power: "Power", strideLength: "Stride", groundContact: "Ground contact",
    verticalOscillation: "Oscillation", pedalCadence: "Pedals", inclination: "Incline",
    measuredBy: "by {source}",
    spm: "spm", zone: "Zone {n}", zoneShort: "Z{n}", zones: "Time in zone", splits: "Splits",
    charts: "Charts", elevation: "Elevation", map: "Route", time: "Time", speed: "Speed",
    zoneNames: "Easy|Steady|Tempo|Threshold|Maximum|Anaerobic|Sprint",
    live: "Live", waiting: "Waiting for the runner", stale: "No news", paused: "Paused",
    ended: "Finished", staleFor: "{age} old", final: "final", noValue: "no value yet",
    connecting: "Connecting", catchingUp: "Catching up", reconnecting: "Reconnecting",
    offline: "You are offline", gone: "This link has ended",
    goneText: "The runner has ended this link, or it has expired. What you saw last stays here.",
    goneShort: "ended", busy: "Too many viewers, trying again",
    replay: "Replay", jumpToLive: "Jump to live", now: "Now", play: "Play", pausePlayback: "Pause playback",
    playbackSpeed: "Playback speed", timeline: "Timeline of the run", behind: "{age} ago",
    wholeRoute: "Whole route", free: "Free", follow: "Follow", zoomIn: "Zoom in",
    zoomOut: "Zoom out", colorBy: "Color", byZone: "By zone", byPace: "By pace",
    mapHint: "Map of the route. Arrow keys move it, plus and minus zoom, F follows, W shows all.",
    chartHint: "Charts. Left and right arrow keys move the cursor.",
    overTime: "By time", overDistance: "By distance", units: "Units", metric: "Metric",
    imperial: "Imperial", km: "km", mi: "mi", avgHr: "Avg HR", noSplits: "The first split is still being run.",
    noPosition: "No position yet", noHeartRate: "No heart rate yet", accuracy: "±{m} m",
    cheer: "Send a cheer", cheerText: "Your cheer", send: "Send", cheerSent: "Cheer sent",
    cheerFailed: "The cheer could not be sent", split: "Split {n}: {time}",
    zoneChanged: "Zone {n}", pausedEvent: "Paused", resumedEvent: "Running again",
    intervalStarted: "Interval {n} of {of}: {goal}", interval: "Interval {n} of {of}, {left} left",
    intervalEnded: "Interval {n} done: {time} {way} {hr}",
    course: "Course", checkpointReached: "{name} reached at {time}", reachedAt: "at {time}", expectedAt: "about {time}",
    lap: "Lap {n}", gapEvent: "Some data was lost",
    alert_zoneDrift: "Out of the target zone", alert_pace: "Off the target pace",
    alert_fall: "Possible fall", alert_noMovement: "No movement", alert_sos: "SOS",
    alert_safetyTimer: "Safety timer ran out", alert_offCourse: "Off course",
    cancelled: "{what}: cancelled", suspectHeartRate: "may be counting steps", doubtedHeartRate: "checking a sudden change",
    battery: "Battery {n} %", gps: "GPS", gps_veryGood: "very good", gps_good: "good",
    gps_fair: "fair", gps_weak: "weak", gps_none: "none", load: "Training load", calories: "Calories", moments: "Moments",
    finish: "Finish", skip: "Skip to the values", runners: "Runners", board: "Board", runner: "Runner",
    gapColumn: "Gap", state: "State", sortBy: "Sort by {what}", leader: "leader",
    enterCode: "Enter the code you were told", codeLabel: "Six letters and digits", watch: "Watch",
    codeWrong: "That code is not valid. It may have been used, or it is too old.",
    codeBusy: "Too many attempts. Wait a minute and try again.",
    failed: "That did not work. Try again.", codeHint: "A code works once, for ten minutes.",
    noScript: "This page needs JavaScript.", notFoundTitle: "Nothing here",
    notFound: "This link does not exist, has expired, or was taken back by the runner.",
    owner: "Your runs", tokenPrompt: "Your device token", open: "Open",
    tokenHint: "It was shown once, when the device was added. It stays in this tab.",
    tokenWrong: "This token is not valid.", signOut: "Forget the token", sessions: "Sessions",
    shares: "Links", commands: "Remote control", start: "Start", stop: "Stop", pause: "Pause",
    resume: "Resume", lapCommand: "Lap", commandSent: "Sent to the watch",
    noSessions: "No session yet.", olderSessions: "Older sessions", noShares: "No link yet. Make one to let others watch.",
    newShare: "New link", shareLabel: "Label",
    publicName: "Public name: everybody finds you", expires: "Ends after", delay: "Delay",
    never: "never", none: "none", until: "until {date}", noEnd: "no end", scope: "Shows", scope_heartRate: "Heart rate",
    scope_metrics: "Pace and distance", scope_location: "Position", create: "Make link",
    copy: "Copy", copied: "Copied", qrCode: "QR code", revoke: "Revoke", revoked: "revoked",
    confirmRevoke: "Everybody who watches with this link is cut off. Revoke it?",
    confirmDelete: "This run is erased for good. Delete it?", delete: "Delete",
    download: "Download", report: "Report (HTML)", viewersNow: "{n} watching", viewersEver: "{n} ever", close: "Close",
    training: "Training", fitness: "Fitness", fatigue: "Fatigue", form: "Form",
    acuteToChronic: "Week to month", monotony: "Monotony",
    weekDistance: "This week, km", weekClimb: "Climb this week, m",
    heartRateDrift: "At the same pace your heart beats faster than in your last runs: heat, fatigue or illness?",
    monotonyHigh: "Your days are much alike: easy days between hard ones help.",
    injuryRisk: "Much more than you are used to: mind your legs.",
    detraining: "Much less than you are used to: fitness is going.",
    trained: "trained", notTrained: "did not train",
    cheers: "Cheers", noCheers: "No cheer yet.", week: "This week", setUp: "Set up a phone app",
    linkOnce: "Copy it now: this link is shown only here.", hour: "1 hour", day: "1 day",
    weekLong: "7 days", minutes: "{n} min", recordHere: "Record with this browser", record: "Record",
    recordHereText: "No app: this phone or computer is the watch, with position, motion and a Bluetooth strap.",
  },
  ko: {
    heartRate: "심박수", cadence: "케이던스", pace: "페이스", gradeAdjustedPace: "경사 보정",
    distance: "거리", movingTime: "운동 시간", elapsedTime: "경과 시간", climb: "상승 고도",
    averageHeartRate: "평균 심박", maxHeartRate: "최고 심박", steps: "걸음", bpm: "bpm",
    power: "파워", strideLength: "보폭", groundContact: "접지 시간",
    verticalOscillation: "수직 진폭", pedalCadence: "페달", inclination: "경사",
    measuredBy: "{source} 측정",
    spm: "spm", zone: "{n}구간", zoneShort: "Z{n}", zones: "심박 구간 시간", splits: "구간 기록",
    charts: "그래프", elevation: "고도", map: "경로", time: "시간", speed: "속도",
    zoneNames: "가볍게|꾸준히|템포|역치|최대|무산소|전력",
    live: "실시간", waiting: "러너를 기다리는 중", stale: "소식 없음", paused: "일시정지",
    ended: "종료", staleFor: "{age} 전", final: "최종", noValue: "아직 값이 없음",
    connecting: "연결 중", catchingUp: "따라잡는 중", reconnecting: "다시 연결하는 중",
    offline: "오프라인입니다", gone: "링크가 종료되었습니다",
    goneText: "러너가 이 링크를 종료했거나 기한이 지났습니다. 마지막 화면은 그대로 남아 있습니다.",
    goneShort: "종료됨", busy: "보는 사람이 많아 다시 시도합니다",
    replay: "다시 보기", jumpToLive: "실시간으로", now: "지금", play: "재생", pausePlayback: "재생 멈춤",
    playbackSpeed: "재생 속도", timeline: "달리기 타임라인", behind: "{age} 전",
    wholeRoute: "전체 경로", free: "자유 이동", follow: "따라가기", zoomIn: "확대", zoomOut: "축소",
    colorBy: "색", byZone: "구간별", byPace: "페이스별",
    mapHint: "경로 지도. 화살표 키로 이동, 더하기와 빼기로 확대와 축소, F는 따라가기, W는 전체 보기.",
    chartHint: "그래프. 왼쪽과 오른쪽 화살표 키로 커서를 옮깁니다.",
    overTime: "시간별", overDistance: "거리별", units: "단위", metric: "미터법", imperial: "야드파운드법",
    avgHr: "평균 심박", noSplits: "첫 구간을 달리는 중입니다.",
    noPosition: "아직 위치 정보가 없습니다", noHeartRate: "아직 심박수가 없습니다",
    cheer: "응원 보내기", cheerText: "응원 메시지", send: "보내기", cheerSent: "응원을 보냈습니다",
    cheerFailed: "응원을 보내지 못했습니다", split: "{n}번째 구간: {time}",
    zoneChanged: "{n}구간", pausedEvent: "일시정지", resumedEvent: "다시 달리는 중",
    intervalStarted: "인터벌 {n}/{of}: {goal}", interval: "인터벌 {n}/{of}, {left} 남음",
    intervalEnded: "인터벌 {n} 끝: {time} {way} {hr}",
    course: "코스", checkpointReached: "{name} 통과 {time}", reachedAt: "{time} 통과", expectedAt: "{time} 예상",
    lap: "랩 {n}", gapEvent: "일부 데이터가 유실되었습니다",
    alert_zoneDrift: "목표 구간을 벗어남", alert_pace: "목표 페이스를 벗어남",
    alert_fall: "낙상 의심", alert_noMovement: "움직임 없음", alert_sos: "긴급 구조 요청",
    alert_safetyTimer: "안전 타이머 만료", alert_offCourse: "코스 이탈",
    cancelled: "{what}: 취소됨", suspectHeartRate: "걸음 수를 재고 있을 수 있음", doubtedHeartRate: "갑작스러운 변화를 확인하는 중",
    battery: "배터리 {n} %", gps: "GPS", gps_veryGood: "매우 좋음", gps_good: "좋음",
    gps_fair: "보통", gps_weak: "약함", gps_none: "없음", load: "훈련 부하", calories: "칼로리", moments: "순간들",
    finish: "완주", skip: "값으로 건너뛰기", runners: "러너", board: "순위표", runner: "러너",
    gapColumn: "차이", state: "상태", sortBy: "{what} 기준 정렬", leader: "선두",
    enterCode: "전해 들은 코드를 입력하세요", codeLabel: "여섯 글자", watch: "보기",
    codeWrong: "올바르지 않은 코드입니다. 이미 사용했거나 기한이 지났을 수 있습니다.",
    codeBusy: "시도가 너무 많습니다. 1분 뒤에 다시 해 주세요.",
    failed: "처리하지 못했습니다. 다시 시도해 주세요.", codeHint: "코드는 10분 동안 한 번만 쓸 수 있습니다.",
    notFoundTitle: "찾을 수 없습니다",
    notFound: "없는 링크이거나, 기한이 지났거나, 러너가 회수했습니다.",
    owner: "내 달리기", tokenPrompt: "기기 토큰", open: "열기",
    tokenHint: "기기를 추가할 때 한 번 표시된 토큰입니다. 이 탭에만 보관됩니다.",
    tokenWrong: "올바르지 않은 토큰입니다.", signOut: "토큰 지우기", sessions: "기록",
    shares: "링크", commands: "원격 조작", start: "시작", stop: "종료", pause: "일시정지",
    resume: "계속", lapCommand: "랩", commandSent: "시계로 보냈습니다",
    noSessions: "아직 기록이 없습니다.", olderSessions: "이전 기록", noShares: "아직 링크가 없습니다. 만들어서 함께 보세요.",
    newShare: "새 링크", shareLabel: "이름표",
    publicName: "공개 이름: 누구나 찾을 수 있음", expires: "유효 기간", delay: "지연",
    never: "없음", none: "없음", until: "{date}까지", noEnd: "기한 없음", scope: "공개 항목", scope_heartRate: "심박수",
    scope_metrics: "페이스와 거리", scope_location: "위치", create: "링크 만들기",
    copy: "복사", copied: "복사했습니다", qrCode: "QR 코드", revoke: "회수", revoked: "회수됨",
    confirmRevoke: "이 링크로 보는 모든 사람의 연결이 끊깁니다. 회수할까요?",
    confirmDelete: "이 기록이 완전히 지워집니다. 삭제할까요?", delete: "삭제",
    download: "내려받기", report: "보고서 (HTML)", viewersNow: "{n}명 시청 중", viewersEver: "누적 {n}명", close: "닫기",
    training: "훈련", fitness: "체력", fatigue: "피로", form: "컨디션",
    acuteToChronic: "주간/월간 비율", monotony: "단조로움",
    weekDistance: "이번 주, km", weekClimb: "이번 주 상승, m",
    heartRateDrift: "같은 페이스인데 최근 달리기보다 심박이 빠릅니다. 더위, 피로, 몸살일 수 있습니다.",
    monotonyHigh: "매일 비슷하게 훈련합니다. 힘든 날 사이에 쉬운 날을 두세요.",
    injuryRisk: "평소보다 훨씬 많이 달렸습니다. 부상에 주의하세요.",
    detraining: "평소보다 훨씬 적게 달렸습니다. 체력이 떨어지고 있습니다.",
    trained: "운동함", notTrained: "쉬었음",
    cheers: "받은 응원", noCheers: "아직 응원이 없습니다.", week: "이번 주", setUp: "휴대폰 앱 설정",
    linkOnce: "지금 복사하세요. 링크는 여기에서만 보입니다.", hour: "1시간", day: "1일",
    weekLong: "7일", minutes: "{n}분", recordHere: "이 브라우저로 기록", record: "기록",
    recordHereText: "앱 없이 이 휴대폰이나 컴퓨터가 시계가 됩니다. 위치, 움직임, 블루투스 벨트를 씁니다.",
  },
};

/** The first of the reader's languages that has a table. */
export function pickLanguage(wanted) {
  const codes = wanted.map((tag) => tag.toLowerCase().split("-")[0]);
  return codes.find((code) => code in languages) ?? "en";
}

/** A function from key (and values for its {places}) to words. */
export function translator(language) {
  const table = languages[language] ?? languages.en;
  const translate = (key, values = {}) => {
    const text = table[key] ?? languages.en[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
  };
  translate.language = language;
  translate.locale = language;
  return translate;
}

/** Puts the reader's language into everything marked `data-t` (text) or `data-t-label` (name). */
export function translatePage(document, wanted) {
  const translate = translator(pickLanguage(wanted));
  document.documentElement.lang = translate.language;
  // Dates and clocks as in the reader's own country.
  translate.locale = wanted.find((tag) => tag.toLowerCase().startsWith(translate.language)) ?? "en";
  for (const node of document.querySelectorAll("[data-t]")) {
    node.textContent = translate(node.dataset.t);
  }
  for (const node of document.querySelectorAll("[data-t-label]")) {
    node.setAttribute("aria-label", translate(node.dataset.tLabel));
  }
  return translate;
}
