import assert from 'node:assert/strict';
import { newsIn } from '../../support/chaos/life-files.js';

const AGAIN =
  '## Comment on #5 by alice, 2026-11-23T08:32:52Z, which an earlier prompt of yours had, too:\n\n> ask-1\n\n';
const NEW = '## Comment on #5 by alice, 2026-11-23T08:32:54Z:\n\n> ask-2\n';

describe('what a prompt tells', () => {
  it('is what happened, and not what stands before it', () => {
    assert.equal(
      newsIn(`Go on.\n\n> ask-0\n\n# What else happened\n\n${NEW}`),
      `# What else happened\n\n${NEW}`,
    );
    assert.equal(newsIn('Go on.\n\n> ask-0\n'), '');
  });

  it('is not what an agent that the machine ended is told once more', () => {
    const news = `# What else happened\n\n${AGAIN}${NEW}`;
    const goesOn = `The machine stopped in the middle of your last turn and ended it.\n\n${news}`;
    assert.equal(newsIn(goesOn), `# What else happened\n\n${NEW}`);
    const isLost = `This is a new session. Your last session is lost. Look around.\n\n${news}`;
    assert.equal(newsIn(`# Your task\n\n${isLost}`), `# What else happened\n\n${NEW}`);
    // In any other turn it is told twice, whatever it says.
    assert.equal(newsIn(`Go on.\n\n${news}`), news);
  });
});
