import fc from "fast-check";
import { hashString } from "../../../src/core/random.ts";
import { testSeed } from "./sample.ts";

// Runs before each test file. A property that fails in test:all prints its own seed and path besides.
fc.configureGlobal({ seed: hashString(testSeed) });
