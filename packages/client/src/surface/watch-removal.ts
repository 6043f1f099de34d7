/**
 * Calls back when other code removes an element from the page. Moving it within the page does not count. Returns a
 * function that stops watching.
 */
export function watchRemoval(element: Element, onRemoved: () => void): () => void {
  const observer = new MutationObserver(() => {
    if (element.isConnected) return
    observer.disconnect()
    onRemoved()
  })
  let root = element.getRootNode()
  observer.observe(root, { childList: true, subtree: true })
  // Mutations inside a shadow tree are not observable from outside, and vice versa.
  while (root instanceof ShadowRoot) {
    root = root.host.getRootNode()
    observer.observe(root, { childList: true, subtree: true })
  }
  return () => observer.disconnect()
}
