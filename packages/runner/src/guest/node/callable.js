/** A class that, as Node's older constructors, also works without `new` and as `Parent.call(this)` of an ES5 child. */
export function callable(type) {
  function construct(...given) {
    if (new.target)
      return Reflect.construct(type, given, new.target === construct ? type : new.target)
    const made = new type(...given)
    return this instanceof type ? void Object.assign(this, made) : made
  }
  Object.defineProperty(construct, 'name', { value: type.name, configurable: true })
  construct.prototype = type.prototype
  Object.setPrototypeOf(construct, type)
  return construct
}
