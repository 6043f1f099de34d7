import { nodeError } from './node-error.js'

/** Throws the error of everything that a bundle may name but not use. */
export function denied(what) {
  throw nodeError(Error, 'ERR_ACCESS_DENIED', `${what} is not available inside the sandbox`)
}

/** Functions and classes (names with a capital) that can be referred to, extended and promisified, not used. */
export function deniedMembers(module, names) {
  const members = {}
  for (const name of names.trim().split(/\s+/)) {
    members[name] = /^[A-Z]/.test(name)
      ? deniedClass(`${module}.${name}`)
      : deniedFunction(`${module}.${name}`)
  }
  return members
}

/** The same for functions that answer promises: they reject. */
export function deniedPromises(module, names) {
  const members = {}
  for (const name of names.trim().split(/\s+/)) {
    members[name] = async () => denied(`${module}.${name}`)
  }
  return members
}

function deniedFunction(what) {
  return function refuse() {
    denied(what)
  }
}

function deniedClass(what) {
  return class Refused {
    constructor() {
      denied(what)
    }
  }
}
