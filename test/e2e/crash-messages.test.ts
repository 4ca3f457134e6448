/**
 * What shares one stack. Each runs by itself, too; `poison` is first, for it counts how often the worker ended, and the next
 * begins with a new `up`, which has forgotten that.
 */
import './crash/poison.js';
import './crash/proposals.js';
import './crash/everything.js';
