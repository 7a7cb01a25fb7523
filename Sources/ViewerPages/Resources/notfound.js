// The page that says the same of every link that leads nowhere.

import { translatePage } from "./strings.js";

translatePage(document, navigator.languages);
