import { BlockList, isIP } from 'node:net'

/** Whether an address is that of a trusted proxy. */
export type IsTrustedProxy = (address: string) => boolean

/** @param addresses addresses and CIDRs of the proxies */
export function createTrustedProxies(addresses: readonly string[]): IsTrustedProxy {
  if (addresses.length === 0) return () => false
  const list = new BlockList()
  for (const text of addresses) {
    const [address = '', prefix] = text.split('/')
    if (prefix === undefined) list.addAddress(address, getFamily(address))
    else list.addSubnet(address, Number(prefix), getFamily(address))
  }
  return (address) => isIP(address) !== 0 && list.check(address, getFamily(address))
}

function getFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}
