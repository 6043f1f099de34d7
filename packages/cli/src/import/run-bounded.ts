/** Runs `work` for each item, `concurrency` at a time. Rejects with the first error, once those in progress have ended. */
export async function runBounded<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  const errors: unknown[] = []
  for (const item of items) {
    const one = work(item)
      .catch((error: unknown) => void errors.push(error))
      .finally(() => running.delete(one))
    running.add(one)
    if (running.size >= concurrency) await Promise.race(running)
    if (errors.length > 0) break
  }
  await Promise.all(running)
  if (errors.length > 0) throw errors[0]
}
