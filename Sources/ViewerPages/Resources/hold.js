// Buttons that must be held: nothing ends by an accident in a pocket or a wet hand.

/**
 * Calls `done(timeStamp)` when the button was held so long. While it is held it has the class
 * `holding`, and `--hold` says how long; a keyboard holds with Enter or space. A screen reader
 * cannot hold: it clicks, and is asked `question()`.
 */
export function listenForHold(button, milliseconds, done, question) {
  let timer;
  let began;
  button.style.setProperty("--hold", `${milliseconds}ms`);
  const release = () => {
    clearTimeout(timer);
    timer = undefined;
    button.classList.remove("holding");
  };
  const press = (event) => {
    if (timer !== undefined || button.disabled) return;
    began = event.timeStamp;
    button.classList.add("holding");
    timer = setTimeout(() => {
      release();
      done(began + milliseconds);
    }, milliseconds);
  };
  button.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    press(event);
  });
  for (const name of ["pointerup", "pointerleave", "pointercancel", "blur"]) {
    button.addEventListener(name, release);
  }
  button.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press(event);
  });
  button.addEventListener("keyup", release);
  button.addEventListener("click", (event) => {
    if (event.detail === 0 && confirm(question())) done(event.timeStamp);
  });
  // A long press must not open a menu.
  button.addEventListener("contextmenu", (event) => event.preventDefault());
}
