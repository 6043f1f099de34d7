/** The guest was stopped inside the engine. The WASM instance must not be used again. */
export class ForcedStopError extends Error {
  override readonly name = 'ForcedStopError'
}
