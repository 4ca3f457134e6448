import assert from 'node:assert/strict';
import fc from 'fast-check';
import { effectOf } from '../../../../src/domain/supervise/change-effect.js';
import { readChange } from '../../../../src/domain/supervise/config-change.js';
import { dockerfileOf, imageFile } from '../../../../src/domain/supervise/image-change.js';
import { modifiedProposal, plainFile } from '../../../../src/domain/supervise/modified-proposal.js';
import { withNetwork } from '../../../../src/domain/supervise/shown-proposal.js';
import { IMAGE, shownProposal } from '../../../support/supervise/shown.js';

const CURRENT = imageFile({ id: IMAGE, dockerfile: 'ARG BASE\nFROM ${BASE}\nescape=`\n', steps: [] });

function stepsOf(text: string): readonly string[] {
  const read = readChange('capability-block', CURRENT, text);
  assert.ok(read.kind === 'change' && read.change.kind === 'image', JSON.stringify(read));
  assert.equal(read.change.network, false);
  return read.change.steps;
}

function problemsOf(text: string): readonly string[] {
  const read = readChange('capability-block', CURRENT, text);
  assert.ok(read.kind === 'problems', JSON.stringify(read));
  return read.problems;
}

describe('what a proposed Dockerfile adds to an image', () => {
  it('is the instructions below the file that the agent started from', () => {
    assert.deepEqual(stepsOf(`${CURRENT}USER root\nrun apt-get update \\\n  # why\n\n  && true\nENV A=b\n`), [
      'USER root',
      'RUN apt-get update   && true',
      'ENV A=b',
    ]);
  });

  it('is read however it is laid out: indented, with blank lines and with line ends of Windows', () => {
    assert.deepEqual(stepsOf(`FROM ${IMAGE}\r\n  RUN  one\r\n \t\r\nRUN two --flag -- three  \r\n`), [
      'RUN  one',
      'RUN two --flag -- three',
    ]);
  });

  it('is at most 40 instructions', () => {
    assert.equal(stepsOf(`FROM ${IMAGE}\n${'RUN true\n'.repeat(40)}`).length, 40);
  });

  it('is nothing when nothing is added', () => {
    assert.match(problemsOf(CURRENT)[0] ?? '', /changes nothing/);
  });

  it('is refused line by line for whatever is more than steps on that one image', () => {
    const refused: readonly (readonly [text: string, problem: RegExp])[] = [
      ['RUN true', /^line 1: it must begin with FROM sha256:1+/],
      ['', /^line 1: it must begin with FROM/],
      ['FROM debian\nRUN true', /^line 1: FROM must name your image/],
      [`FROM ${IMAGE} AS one\nRUN true`, /^line 1: FROM must name your image/],
      [`FROM --platform=linux/arm64 ${IMAGE}\nRUN true`, /^line 1: FROM must name your image/],
      [`FROM ${IMAGE}\nRUN true\nFROM ${IMAGE}\n`, /^line 3: one FROM only/],
      [`# syntax=docker/dockerfile:1\nFROM ${IMAGE}\nRUN true`, /^line 1: no parser directives/],
      [`#escape=\`\nFROM ${IMAGE}\nRUN true`, /^line 1: no parser directives/],
      [`FROM ${IMAGE}\nRUN --mount=type=secret,id=x cat /run/secrets/x`, /^line 2: RUN takes no flags/],
      [`FROM ${IMAGE}\nRUN  --mount=type=bind id`, /^line 2: RUN takes no flags/],
      [`FROM ${IMAGE}\nRUN\t--security=insecure id`, /^line 2: RUN takes no flags/],
      [`FROM ${IMAGE}\nRUN \\\n--network=host id`, /^line 2: RUN takes no flags/],
      [`FROM ${IMAGE}\nRUN -\\ \t\n-mount=type=bind id`, /^line 2: RUN takes no flags/],
      [`FROM ${IMAGE}\nRU\\\nN --mount=x id`, /^line 2: RUN takes no flags/],
      [`FROM ${IMAGE}\nRUN`, /^line 2: RUN says nothing/],
      [`FROM ${IMAGE}\n${'X'.repeat(99)} a`, /^line 2: X{32} cannot be used here/],
      [`FROM ${IMAGE}\nRUN echo \\\u00A0\nUSER 1000\n`, /^line 2: RUN must not end in a backslash/],
      [`FROM ${IMAGE}\nRUN true \\\n`, /^line 2: the instruction goes on/],
      [`FROM ${IMAGE}\nRUN echo \u202e1\n`, /^line 2: it has a character that cannot be seen/],
      [`FROM ${IMAGE}\nRUN echo \u001b[2K\n`, /^line 2: it has a character that cannot be seen/],
      [`FROM ${IMAGE}\nRUN echo a\u2028RUN evil\n`, /^line 2: it has a character/],
      [`FROM ${IMAGE}\nRUN echo a\rRUN evil\n`, /^line 2: it has a character/],
      [`FROM ${IMAGE}\n${'RUN true\n'.repeat(41)}`, /^at most 40 instructions/],
      ...[
        'ADD',
        'COPY',
        'VOLUME',
        'ONBUILD',
        'ENTRYPOINT',
        'CMD',
        'LABEL',
        'ARG',
        'HEALTHCHECK',
        'SHELL',
        'EXPOSE',
      ].map(
        (name) => [`FROM ${IMAGE}\n${name} a b`, new RegExp(`^line 2: ${name} cannot be used here`)] as const,
      ),
      [`FROM ${IMAGE}\nRUN <<EOF\necho hello\nEOF`, /^line 3: ECHO cannot be used here/],
    ];
    for (const [text, problem] of refused) assert.match(problemsOf(text).join('\n'), problem, text);
  });

  it('is what is built, whatever the text: one FROM, and each instruction one of the four', () => {
    const word = fc.constantFrom(
      'RUN',
      'run',
      'ENV',
      'COPY',
      'FROM',
      '#',
      '\\',
      '--mount',
      IMAGE,
      'x',
      '&&',
      '<<EOF',
    );
    const line = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8, size: 'max' }), (lines) => {
        const read = readChange('capability-block', CURRENT, `FROM ${IMAGE}\n${lines.join('\n')}\n`);
        if (read.kind === 'problems' || read.change.kind !== 'image') return;
        const { steps } = read.change;
        for (const step of steps) assert.match(step, /^(RUN|ENV|USER|WORKDIR)\s+(?!--)\S/);
        // What we build reads back as what was agreed to.
        assert.deepEqual(stepsOf(dockerfileOf(IMAGE, steps)), steps);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is told to the operator whole, and a network in words that nobody overlooks', () => {
    const shown = shownProposal({
      tool: 'capability-block',
      proposed_file: `FROM ${IMAGE}\nUSER root\nRUN apt-get update \\\n && apt-get install -y make\n`,
    });
    assert.deepEqual(effectOf(shown), [
      'its image is built anew with: USER root',
      'its image is built anew with: RUN apt-get update  && apt-get install -y make',
      'the build has no network',
    ]);
    assert.match(effectOf(withNetwork(shown)).at(-1) ?? '', /HAS A NETWORK.*root.*outside of the allowlist/);
  });

  it('is edited without the comments of the agent', () => {
    const shown = shownProposal({
      tool: 'capability-block',
      proposed_file: `# vim: set exrc\nFROM ${IMAGE}\nRUN a \\\n# vim\n b\n`,
    });
    assert.equal(plainFile(shown), `FROM ${IMAGE}\nRUN a  b\n`);
    const own = modifiedProposal(shown, `FROM ${IMAGE}\nRUN other\n`);
    assert.ok(own.kind === 'modified' && own.shown.change.kind === 'image');
    assert.deepEqual(own.shown.change.steps, ['RUN other']);
    assert.equal(modifiedProposal(shown, 'FROM debian\nRUN other\n').kind, 'problems');
  });

  it('is allowed a network, unlike a change of anything else', () => {
    const hosts = shownProposal();
    assert.deepEqual(withNetwork(hosts), hosts);
  });
});

describe('the file that names a run’s image', () => {
  it('says what is in it, and can be started from whatever that is', () => {
    const file = imageFile({ id: IMAGE, dockerfile: 'FROM a\n#syntax=x\n', steps: ['RUN one two'] });
    assert.match(file, /^# {3}FROM a$/m);
    assert.match(file, /^# {3}RUN one two$/m);
    const read = readChange('capability-block', file, `${file}RUN three\n`);
    assert.ok(read.kind === 'change' && read.change.kind === 'image');
    assert.deepEqual(read.change.steps, ['RUN three']);
  });

  it('keeps the lines of a Dockerfile as they are, without blanks at the end of any', () => {
    const file = imageFile({ id: IMAGE, dockerfile: '  FROM a\n\nRUN b \n\n', steps: [] });
    assert.match(file, /:\n# {5}FROM a\n#\n# {3}RUN b\nFROM sha256:1+\n$/);
  });

  it('speaks of a Dockerfile and of steps only where there are any', () => {
    const aboutIt = (dockerfile: string | null, steps: readonly string[]): readonly boolean[] => {
      const file = imageFile({ id: IMAGE, dockerfile, steps });
      return ["bottle's Dockerfile", 'approved since'].map((words) => file.includes(words));
    };
    assert.deepEqual(aboutIt(null, []), [false, false]);
    assert.deepEqual(aboutIt('FROM a\n', []), [true, false]);
    assert.deepEqual(aboutIt(null, ['RUN one']), [false, true]);
  });
});
