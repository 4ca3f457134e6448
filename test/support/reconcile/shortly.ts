import type { Finding } from '../../../src/domain/upkeep/reconcile.js';

/** `demo#3 state`, `demo#3 comment 7` */
export function shortly({ repo, number, cause, seen }: Finding): string {
  const subject = `${repo}#${String(number)}`;
  switch (cause.kind) {
    case 'comment':
      return `${subject} comment ${String(cause.commentId)}`;
    case 'review':
      return `${subject} review ${String(cause.reviewId)}`;
    case 'push':
      return `${subject} push ${seen}`;
    case 'checks':
      return `${subject} checks ${cause.sha}`;
    case 'state':
      return `${subject} state`;
  }
}
