// Several tabs of one browser: one leads, which measures, numbers and sends; the others show what it
// says and pass on what is pressed. When it goes, the next one leads.

const lockName = "pulsecast-record";
/** A leader that was asked to go and does not is taken for frozen: a phone does so with pages. */
const resignMilliseconds = 3000;

export class Leadership {
  #channel;
  #release = () => {};
  #stealTimer;
  #waiting;

  /**
   * `onLead()`: this tab leads from now on; `onLose()`: no longer. `onNews(state)`: of the leader,
   * in the other tabs. `onWish(wish)`: of another tab, in the leader.
   */
  constructor({ onLead, onLose, onNews = () => {}, onWish = () => {}, environment = globalThis }) {
    Object.assign(this, { onLead, onLose, environment });
    this.isLeader = false;
    this.#channel = new environment.BroadcastChannel(lockName);
    this.#channel.onmessage = ({ data }) => {
      if (data.resign && this.isLeader) this.#lose();
      else if (data.news && !this.isLeader) onNews(data.news);
      else if (data.wish && this.isLeader) onWish(data.wish);
    };
    this.#request();
  }

  /** Tells the other tabs how it goes. */
  tell(news) {
    if (this.isLeader) this.#channel.postMessage({ news });
  }

  /** Asks the leader. */
  ask(wish) {
    this.#channel.postMessage({ wish });
  }

  /** Leads instead of the tab that does. */
  take() {
    this.#channel.postMessage({ resign: true });
    this.environment.clearTimeout(this.#stealTimer);
    this.#stealTimer = this.environment.setTimeout(() => {
      if (this.isLeader) return;
      this.#waiting?.abort();
      this.#request({ steal: true });
    }, resignMilliseconds);
  }

  async #request(options = this.#patiently()) {
    let led = false;
    try {
      await this.environment.navigator.locks.request(lockName, options, () => new Promise((done) => {
        led = true;
        this.#release = done;
        this.isLeader = true;
        this.onLead();
      }));
    } catch {
      // Another tab took the lock by force, or this one no longer waits for it.
    }
    if (!led) return;
    this.#lose();
    this.#request();
  }

  /** Stops before the next tab may begin. */
  #lose() {
    if (!this.isLeader) return;
    this.isLeader = false;
    this.onLose();
    this.#release();
  }

  #patiently() {
    this.#waiting = new this.environment.AbortController();
    return { signal: this.#waiting.signal };
  }
}
