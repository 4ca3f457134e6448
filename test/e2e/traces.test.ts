/** What shares one stack, whose runs are traced and publish from the bot's fork. In this order: the first trace is looked for alone, and the last suite stops `up`. */
import './traces/one-trace.js';
import './traces/fork-life.js';
import './traces/collector-away.js';
