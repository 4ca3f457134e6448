/** As `Promise.all`, but what fails is thrown only when nothing of the rest is under way any more: it may be tried again. */
export async function together<T extends readonly unknown[] | []>(
  work: T,
): Promise<{ -readonly [Key in keyof T]: Awaited<T[Key]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
