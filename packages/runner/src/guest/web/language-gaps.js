import { hide } from '../properties.js'

/** What Node's engine has and this one lacks: the symbols of disposal, methods of call sites, `performance.mark`. */
export function fillLanguageGaps() {
  for (const name of ['dispose', 'asyncDispose']) {
    if (!Symbol[name]) Object.defineProperty(Symbol, name, { value: Symbol(`Symbol.${name}`) })
  }
  addMissing(callSitePrototype(), {
    getEvalOrigin: () => undefined,
    getMethodName: () => null,
    getPromiseIndex: () => null,
    getScriptNameOrSourceURL() {
      return this.getFileName()
    },
    getThis: () => undefined,
    getTypeName: () => null,
    isAsync: () => false,
    isConstructor: () => false,
    isEval: () => false,
    isPromiseAll: () => false,
    isToplevel: () => true,
  })
  addMissing(performance, {
    clearMarks() {},
    clearMeasures() {},
    getEntries: () => [],
    getEntriesByName: () => [],
    getEntriesByType: () => [],
    mark: (name) => ({ name, entryType: 'mark', startTime: performance.now(), duration: 0 }),
    measure: (name) => ({ name, entryType: 'measure', startTime: 0, duration: 0 }),
    timerify: (work) => work,
    toJSON: () => ({}),
  })
}

function addMissing(target, members) {
  if (target)
    hide(target, Object.fromEntries(Object.entries(members).filter(([name]) => !(name in target))))
}

function callSitePrototype() {
  const before = Error.prepareStackTrace
  let found
  Error.prepareStackTrace = (_error, sites) => {
    found = sites[0] && Object.getPrototypeOf(sites[0])
    return ''
  }
  void new Error('probe').stack
  Error.prepareStackTrace = before
  return found
}

/** Makes `stack` begin with name and message, as in Node; the engine's own has only the calls. */
export function formatStacksAsNode() {
  Error.prepareStackTrace = prepareStackTrace
}

function prepareStackTrace(error, sites) {
  let stack = header(error)
  for (const site of sites) stack += `\n    at ${place(site)}`
  return stack
}

const LONGEST_MESSAGE = 10_000

function header(error) {
  try {
    const { name, message } = error
    // A text of megabytes is not worth a copy of it in every stack.
    if (message?.length > LONGEST_MESSAGE) return `${name}: ${message.slice(0, LONGEST_MESSAGE)}`
    return Error.prototype.toString.call(error)
  } catch {
    return 'Error'
  }
}

function place(site) {
  const name = site.getFunctionName()
  const where = site.isNative()
    ? 'native'
    : `${site.getFileName()}:${site.getLineNumber()}:${site.getColumnNumber()}`
  return name ? `${name} (${where})` : where
}
