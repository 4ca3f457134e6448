/** What shares one stack. Each runs by itself, too; `model-limits` is last, for it uses up the day's budget. */
import './claude/proposals.js';
import './claude/image-proposals.js';
import './claude/model-limits.js';
