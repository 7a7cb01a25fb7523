// Reads cheers aloud.

export const canSpeak = ({ speechSynthesis, SpeechSynthesisUtterance } = globalThis) =>
  speechSynthesis !== undefined && SpeechSynthesisUtterance !== undefined;

/** At most so many wait: a crowd must not talk for the rest of the run. */
const waitingMax = 3;

export class Voice {
  #waiting = 0;

  constructor(locale, environment = globalThis) {
    this.locale = locale;
    this.environment = environment;
    this.isOn = false;
  }

  /** Whether the text will be spoken. */
  say(text) {
    if (!this.isOn || !canSpeak(this.environment) || this.#waiting >= waitingMax) return false;
    const utterance = new this.environment.SpeechSynthesisUtterance(text);
    utterance.lang = this.locale;
    this.#waiting += 1;
    utterance.onend = utterance.onerror = () => {
      this.#waiting -= 1;
    };
    this.environment.speechSynthesis.speak(utterance);
    return true;
  }

  stop() {
    this.environment.speechSynthesis?.cancel();
    this.#waiting = 0;
  }
}
