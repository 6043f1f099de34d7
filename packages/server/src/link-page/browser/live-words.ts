/** Has words read out without moving anything. */
export function createSay(): (words: string) => void {
  const region = document.createElement('div')
  region.className = 'unseen'
  region.setAttribute('role', 'status')
  document.body.append(region)
  return (words) => {
    region.textContent = words
  }
}
