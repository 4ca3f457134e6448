'use strict';
/* Mocha's own limits, multiplied as in patience.ts. Loaded by .mocharc.json. */
const { Runnable } = require('mocha');

const factor = Number(process.env.BOT_BOTTLE_PATIENCE ?? 1);
const { timeout } = Runnable.prototype;

Runnable.prototype.timeout = function patientTimeout(limit) {
  return limit === undefined ? timeout.call(this) : timeout.call(this, limit * factor);
};
