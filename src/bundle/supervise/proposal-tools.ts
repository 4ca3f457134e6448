import { fieldsOf } from '../../domain/base/is-record.js';
import { routeAddress } from '../../domain/egress/agent-env.js';
import { CURRENT_CONFIG_DIR } from '../../domain/egress/ports.js';
import {
  MAX_JUSTIFICATION_BYTES,
  MAX_PROPOSED_BYTES,
  PROPOSAL_TOOLS,
  type ProposalAnswer,
  type ProposalTool,
  type ProposedFile,
} from '../../domain/supervise/proposal.js';
import { defineMethod, type Method } from '../plane/method.js';
import type { ParamSpec } from '../plane/params.js';

const ROUTE = routeAddress({ name: '<route>' });

const WHEN: Readonly<Record<ProposalTool, string>> = {
  'cred-proxy-block':
    `Use it when a service needs a credential, or when a request through ${ROUTE}/ was refused because there is no such route, ` +
    "or because the method or the path is not in the route's list. Such a service is asked through its route, over plain HTTP, " +
    'and the credential is added on the way: a route names a secret of the operator, you never have its value. ' +
    'For a host that needs no credential use pipelock-block.',
  'pipelock-block':
    'Use it when the forward proxy (HTTPS_PROXY) refused a host that is not in the allowlist and that needs no credential, ' +
    'such as one for downloads or documentation. For a service that needs a credential use cred-proxy-block.',
  'capability-block':
    'Use it when a program or library of the system is missing that you cannot install yourself, since you are not root. ' +
    'Keep the FROM line as it is and add instructions below it: RUN, ENV, USER, WORKDIR. ' +
    'They are run without network unless the person allows it: say in the justification which hosts they need and why. ' +
    'When it is approved the image is built and your turn is ended; you go on at once in the new image, with the same session and ' +
    'workspace, so commit or write down first what is only in your head. For a package that a registry of yours has, do not use it.',
};

/** What each answer means for the agent. */
const MEANING: Readonly<Record<ProposalAnswer['status'], string>> = {
  approved:
    'the file that you proposed is in effect within seconds; of a Dockerfile, in your next turn, which comes at once',
  modified: 'the person put another version in effect: read the current file again',
  failed:
    'the person agreed, but the image could not be built, for the reason in the notes: you run in the old one',
  rejected: 'do not propose it again; do the work without it, or end your turn and say what is missing',
  cancelled: 'the run is being ended',
  pending:
    'nobody has decided yet: go on with other work or end your turn, and do not wait; you will be told in your next turn',
};

const MEANINGS = Object.entries(MEANING).map(([status, meaning]) => `${status} (${meaning})`);

/** What each of the tools takes. */
const PROPOSAL_PARAMS = {
  proposed_file: {
    type: 'text',
    description: 'The whole new file: what is left out of it is taken away.',
    maxBytes: MAX_PROPOSED_BYTES,
    required: 'non-empty',
  },
  justification: {
    type: 'text',
    description: 'What you need it for, in a few sentences, for the person who decides.',
    maxBytes: MAX_JUSTIFICATION_BYTES,
    required: 'non-empty',
  },
  current_file_hash: {
    type: 'sha256',
    description: `SHA-256 of the current file that you started from, 64 hexadecimal digits: sha256sum ${CURRENT_CONFIG_DIR}/<file>`,
  },
} as const satisfies Record<keyof ProposedFile, ParamSpec>;

const OUTPUT = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: Object.keys(MEANING), description: `${MEANINGS.join('; ')}.` },
    notes: {
      type: 'string',
      description: 'What the person says to you, or of failed why that is; may be empty.',
    },
    id: { type: 'string', description: 'By which your next turn names the proposal.' },
  },
  required: ['status', 'notes', 'id'],
  additionalProperties: false,
} as const;

/** The tools of an agent that is stuck. */
export const PROPOSAL_METHODS: readonly Method[] = [
  proposing('cred-proxy-block'),
  proposing('pipelock-block'),
  proposing('capability-block'),
];

/** Told once to a client that connects. */
export const SUPERVISE_INSTRUCTIONS = [
  'Tools for when what you may reach is not enough for the work: each proposes a new version of a file of your configuration, and a person decides.',
  `The current files are in ${CURRENT_CONFIG_DIR}/, read-only.`,
  'Ask only for what the work needs. A rejected proposal is not to be proposed again.',
].join(' ');

function proposing(name: ProposalTool): Method {
  const { file, component } = PROPOSAL_TOOLS[name];
  const current = `${CURRENT_CONFIG_DIR}/${file}`;
  const what = `a new ${file} for ${component}`;
  return defineMethod({
    name,
    kind: 'write',
    structured: { schema: OUTPUT, inWords },
    description: [
      `Proposes a new version of your ${file}.`,
      WHEN[name],
      `Start from the current file, ${current} (read-only), propose the whole file with your change in it, and say with current_file_hash what you started from: the first word that "sha256sum ${current}" prints.`,
      'A person is shown the difference and your justification, and decides; that may take minutes, and the call is held until then.',
      `Answers a status: ${MEANINGS.join('; ')}; and notes, what the person says to you.`,
      'Ask once, for all that you need of this file. A rejected proposal is not to be proposed again.',
    ].join(' '),
    params: PROPOSAL_PARAMS,
    story: () => ({
      target: file,
      did: `proposed ${what}`,
      attempt: `proposing ${what}`,
      passedOn: `proposed ${what}: pending, since the turn ended first`,
    }),
    run: async (params, { proposals }) => {
      const answer = await proposals.propose(name, params);
      if (answer.kind === 'refused') return { result: {}, refused: answer.reason };
      const { status, notes, id } = answer;
      return { result: { status, notes, id }, did: `proposed ${what}: ${status}` };
    },
  });
}

function inWords(result: unknown): string {
  const { status, notes } = fieldsOf(result);
  const known = String(status);
  const meaning = Object.entries(MEANING).find(([each]) => each === known)?.[1] ?? 'unknown';
  const who = status === 'failed' ? 'The reason' : 'The person says';
  const said = typeof notes === 'string' && notes !== '' ? ` ${who}: ${notes}` : '';
  return `${known}: ${meaning}.${said}`;
}
