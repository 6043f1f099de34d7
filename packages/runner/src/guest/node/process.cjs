// The packages inside the guest script require it; the script's first import has set it.
module.exports = globalThis.process
