/** Has words read out without moving anything. */
export function createLiveRegion(): (text: string) => void {
  const region = document.createElement('div')
  region.className = 'unseen'
  region.setAttribute('role', 'status')
  document.body.append(region)
  return (text) => {
    region.textContent = text
  }
}
