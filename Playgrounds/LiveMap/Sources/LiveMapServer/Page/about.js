// The page about Strata has the colours of the map.
import { followTheme } from "./theme.js";

followTheme(null, () => {});
