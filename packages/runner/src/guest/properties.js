/** Adds members that are not listed, as those of the language and of Node are not. */
export function hide(target, members) {
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(target, name, { value, writable: true, configurable: true })
  }
}

/** Names classes for Object.prototype.toString. */
export function tag(...types) {
  for (const type of types) nameTag(type.prototype, type.name)
}

/** The same for an object. */
export function nameTag(object, value) {
  Object.defineProperty(object, Symbol.toStringTag, { value, configurable: true })
}
