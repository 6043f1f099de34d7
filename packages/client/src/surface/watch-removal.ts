/** Tells when somebody else takes an element out of the page. Moved within it, it stays. Answers how to stop. */
export function watchRemoval(element: Element, onRemoved: () => void): () => void {
  const observer = new MutationObserver(() => {
    if (element.isConnected) return
    observer.disconnect()
    onRemoved()
  })
  let root = element.getRootNode()
  observer.observe(root, { childList: true, subtree: true })
  // Changes inside a shadow are not seen from outside, nor the other way round.
  while (root instanceof ShadowRoot) {
    root = root.host.getRootNode()
    observer.observe(root, { childList: true, subtree: true })
  }
  return () => observer.disconnect()
}
