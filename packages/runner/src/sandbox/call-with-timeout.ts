import vm from 'node:vm'

/**
 * Calls a function and stops it by force when it takes longer than `timeoutMs`.
 *
 * QuickJS calls its interrupt handler between operations of the guest, but a few of its own loops never do
 * (`Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)`). V8 can stop any loop, including those of WASM; after
 * that the WASM instance must not be used again.
 *
 * @throws whatever the function throws; an error for which `wasStopped` is true when it was stopped
 */
export function callWithTimeout<T>(timeoutMs: number, task: () => T): T {
  timeoutContext.task = task
  try {
    return callTask.runInContext(timeoutContext, {
      timeout: Math.max(1, Math.ceil(timeoutMs)),
    }) as T
  } finally {
    timeoutContext.task = undefined
  }
}

/** Returns true if an error comes from a function that took too long. */
export function isTimeoutError(error: unknown): boolean {
  // Not `instanceof Error`: the error belongs to another realm.
  if (typeof error !== 'object' || error === null || !('code' in error)) return false
  return error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

const timeoutContext: { task: unknown } = { task: undefined }
vm.createContext(timeoutContext)
const callTask = new vm.Script('task()')
