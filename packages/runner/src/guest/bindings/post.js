let sendToHost

/** Stores the guest's only connection to the host. Called once, by the `boot` binding. */
export function bindPost(post) {
  sendToHost = post
}

/** Sends to the VM host; see `sandbox/host-bindings.ts` for the kinds. */
export function post(kind, id, text, bytes) {
  return sendToHost?.(kind, id, text, bytes)
}
