let door

/** Keeps the guest's only way out. Called once, by the `boot` door. */
export function bindPost(post) {
  door = post
}

/** Sends to the VM host; see `sandbox/doors.ts` for the kinds. */
export function post(kind, id, text, bytes) {
  return door?.(kind, id, text, bytes)
}
