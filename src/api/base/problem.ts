import type { Response } from 'express';

const TITLES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const;

export type ProblemStatus = keyof typeof TITLES;

/** An answer other than what was asked for. The message says what to do. */
export class ApiProblem extends Error {
  constructor(
    readonly status: ProblemStatus,
    message: string,
  ) {
    super(message);
    this.name = 'ApiProblem';
  }
}

/** RFC 9457. @param detail what to do */
export function problem(response: Response, status: ProblemStatus, detail: string): void {
  const { type, body } = problemAnswer(status, detail);
  response.status(status).type(type).send(JSON.stringify(body));
}

/** The same where there is no response to send it by. */
export function problemAnswer(status: ProblemStatus, detail: string) {
  return {
    type: 'application/problem+json',
    body: { type: 'about:blank', title: TITLES[status], status, detail },
  };
}
