/** Waits for a promise, with a timeout. */
export async function waitAtMost(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}
