const nativeThen = Promise.prototype.then

/**
 * AsyncLocalStorage for one chain of calls: `run` holds its store until the work, or the promise that it answers,
 * is done. Two chains that overlap in time see each other's store; a call of a bundle is one chain.
 */
export class AsyncLocalStorage {
  #store
  disable() {
    this.#store = undefined
  }
  enterWith(store) {
    this.#store = store
  }
  exit(work, ...given) {
    return this.run(undefined, work, ...given)
  }
  getStore() {
    return this.#store
  }
  run(store, work, ...given) {
    const before = this.#store
    const restore = () => {
      if (this.#store === store) this.#store = before
    }
    this.#store = store
    let result
    try {
      result = work(...given)
    } catch (error) {
      restore()
      throw error
    }
    if (result instanceof Promise) Reflect.apply(nativeThen, result, [restore, restore])
    else restore()
    return result
  }
  static bind(work) {
    return (...given) => work(...given)
  }
  static snapshot() {
    return (work, ...given) => work(...given)
  }
}

export class AsyncResource {
  constructor(type) {
    this.type = type
  }
  asyncId() {
    return 1
  }
  triggerAsyncId() {
    return 0
  }
  emitDestroy() {
    return this
  }
  runInAsyncScope(work, self, ...given) {
    return Reflect.apply(work, self, given)
  }
  bind(work) {
    return work
  }
  static bind(work) {
    return work
  }
}

const hook = { enable: () => hook, disable: () => hook }

/** The module `async_hooks`. */
export const asyncHooks = {
  AsyncLocalStorage,
  AsyncResource,
  createHook: () => hook,
  executionAsyncId: () => 1,
  triggerAsyncId: () => 0,
  executionAsyncResource: () => ({}),
}
