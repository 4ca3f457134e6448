import type { Response } from 'express';

const TITLES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
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
  response
    .status(status)
    .type('application/problem+json')
    .send(JSON.stringify({ type: 'about:blank', title: TITLES[status], status, detail }));
}
