// node-inspect-extracted lists the members of Atomics while it loads. The engine has none: `main.js` removes this one.
globalThis.Atomics = {}
