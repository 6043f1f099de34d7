/**
 * Hosts that mean this machine or a private network, as an attacker would write them in a URL. Names of
 * `*.private.example` resolve to the private address in their first label, see `corpusResolve`.
 */
export const PRIVATE_HOSTS: readonly string[] = [
  // Loopback in every notation that URL parsers convert to 127.0.0.1.
  ...['127.0.0.1', '127.1', '127.0.1', '0x7f.1', '0x7f.0x0.0x0.0x1', '0x7f000001', '2130706433'],
  ...['0177.0.0.1', '0177.0.0.01', '017700000001', '127.0.0.1.', '127.1.', '0X7F.1', '127.0.0.0x1'],
  ...[
    '127.255.255.255',
    '127.0.0.0',
    '127.127.127.127',
    '１２７.0.0.1',
    '１２７。０。０。１',
    '127．1',
  ],
  ...['①②⑦.0.0.1', '127%2e0%2e0%2e1', '%31%32%37.0.0.1', '0x7f.000.00.1', '00000177.1', '0x7F.0.1'],
  // Unspecified.
  ...[
    '0.0.0.0',
    '0',
    '0.0',
    '0x0',
    '00',
    '0.0.0.0.',
    '0.1',
    '0.255.255.255',
    '[::]',
    '[0:0:0:0:0:0:0:0]',
  ],
  // IPv6 loopback, mapped, compatible, SIIT.
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0.0.0.1]', '[::ffff:127.0.0.1]'],
  ...['[::ffff:7f00:1]', '[::FFFF:7F00:0001]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::ffff:10.0.0.1]'],
  ...['[::ffff:192.168.0.1]', '[::ffff:169.254.169.254]', '[::ffff:0.0.0.0]', '[::127.0.0.1]'],
  ...['[::7f00:1]', '[::10.0.0.1]', '[::ffff:0:127.0.0.1]', '[::ffff:0:7f00:1]', '[::a9fe:a9fe]'],
  // IPv4 inside IPv6: NAT64, 6to4, Teredo.
  ...['[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b::a9fe:a9fe]'],
  ...['[64:ff9b:1::127.0.0.1]', '[64:ff9b:1:ffff::a00:1]', '[2002:7f00:1::]', '[2002:a00:1::1]'],
  ...['[2002:c0a8:1::]', '[2002:a9fe:a9fe::]', '[2001:0:7f00:1::]', '[2001::80ff:fffe]'],
  // IPv6 that is not on the public internet.
  ...[
    '[fc00::1]',
    '[fd00::1]',
    '[fdff::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
  ],
  ...['[feff::1]', '[ff02::1]', '[ff01::1]', '[ff0e::1]', '[100::1]', '[2001:db8::1]', '[3fff::1]'],
  ...['[2001:2::1]', '[2001:10::1]', '[2001:20::1]', '[5f00::1]', '[4000::1]', '[2620:4f:8000::1]'],
  // Both edges of IPv4's special ranges.
  ...['10.0.0.0', '10.0.0.1', '10.255.255.255', '172.16.0.0', '172.16.0.1', '172.31.255.255'],
  ...[
    '192.168.0.0',
    '192.168.1.1',
    '192.168.255.255',
    '100.64.0.0',
    '100.64.0.1',
    '100.127.255.255',
  ],
  ...['169.254.0.0', '169.254.255.255', '192.0.0.0', '192.0.0.8', '192.0.0.170', '192.0.0.255'],
  ...['192.0.2.0', '192.0.2.255', '198.18.0.0', '198.19.255.255', '198.51.100.0', '198.51.100.255'],
  ...['203.0.113.0', '203.0.113.255', '192.88.99.0', '192.88.99.255', '224.0.0.0', '224.0.0.1'],
  ...['239.255.255.255', '240.0.0.0', '240.0.0.1', '255.255.255.254', '255.255.255.255'],
  // The same in other notations.
  ...[
    '10.1',
    '0xa.1',
    '012.1',
    '167772161',
    '0xac.0x10.0.1',
    '2886729729',
    '3232235521',
    '0xc0a80001',
  ],
  ...['192.168.257', '030052000001', '4294967295', '0xffffffff', '037777777777', '3758096384'],
  // Metadata services.
  ...[
    '169.254.169.254',
    '169.254.170.2',
    '169.254.169.123',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
  ],
  ...[
    '169.254.43518',
    '0xa9.254.0251.254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16.private.example',
  ],
  ...[
    'metadata.google.internal',
    'metadata',
    'instance-data.ec2.internal',
    'kubernetes.default.svc',
  ],
  // Names.
  ...[
    'localhost',
    'LocalHost',
    'localhost.',
    'ｌｏｃａｌｈｏｓｔ',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'loc%61lhost',
    'a.localhost',
    'x.y.localhost.',
  ],
  ...[
    'localhost.localdomain',
    'ip6-localhost',
    'broadcasthost',
    'host.docker.internal',
    'gateway.docker.internal',
  ],
  ...['127-0-0-1.private.example', '10-0-0-1.private.example', '192-168-0-1.private.example'],
  ...['169-254-169-254.private.example', '100-64-0-1.private.example', '0-0-0-0.private.example'],
  ...[
    'mapped.private.example',
    'nat64.private.example',
    'sixtofour.private.example',
    'ula.private.example',
  ],
  ...['mixed.private.example', 'mixed-last.private.example', 'v6-loopback.private.example'],
  ...[
    'nowhere.private.example',
    'empty.private.example',
    'garbage.private.example',
    'LOCAL.Private.Example.',
  ],
  ...[
    'local.private.example',
    'ｌocal.private.example',
    'local。private。example',
    'loc\u00adal.private.example',
  ],
]

/** Complete URLs that must be rejected for reasons other than a private address. */
export function listForbiddenUrls(port: number): string[] {
  const target = `127.0.0.1:${port}`
  return [
    // Userinfo, backslash and whitespace confusion: the host is 127.0.0.1 or [::1], despite its appearance.
    ...[
      `https://example.com@${target}/`,
      `https://example.com:443@${target}/`,
      `https://a@b@${target}/`,
    ],
    ...[
      `https://example.com%40${target}/`,
      `https://example.com%2f@${target}/`,
      `https://@${target}/`,
    ],
    ...[
      `https:\\\\${target}\\`,
      `https:/\\${target}/`,
      `https:${target}/`,
      `https:/${target}/`,
      `https:///${target}/`,
    ],
    ...[
      `https://${target}\\@example.com/`,
      `https://${target}#@example.com/`,
      `https://${target}?@example.com/`,
    ],
    ...[
      ` https://${target}/ `,
      `https://127.0.\n0.1:${port}/`,
      `ht\ttps://${target}/`,
      `\u0000https://${target}/`,
    ],
    ...[
      `https://[::1]:${port}#.example.com`,
      `HTTPS://${target}/`,
      `http://${target}/`,
      `hTTp://[::1]:${port}/`,
    ],
    ...[`https://user:pass@[::1]:${port}/`, `https://127.0.0.1:0${port}/`, `https://127.0.0.1:/`],
    // Hosts that do not parse, or should not.
    ...[
      'https://[::1%25lo]/',
      'https://[::1',
      'https://[127.0.0.1]/',
      'https://127.0.0.256/',
      'https://0x100000000/',
    ],
    ...[
      'https://1.2.3.4.5/',
      'https://08.1/',
      'https:///',
      'https://',
      'https://..',
      'https://a..example/',
      'https://./',
    ],
    ...[
      'https://example.com:99999/',
      'https://exa mple.com/',
      'https://%00/',
      'https://ex%0aample.com/',
      '',
      '//',
      '/',
    ],
    // Ports of other services on public hosts.
    ...[
      22, 23, 25, 53, 110, 111, 143, 465, 587, 993, 2049, 2375, 3306, 5432, 6379, 9200, 11211,
    ].map((other) => `https://public.example:${other}/`),
    `http://public.example/`,
    `http://public.example:443/`,
    // Other schemes.
    ...[
      'file:///etc/passwd',
      'file://localhost/etc/passwd',
      `ftp://${target}/`,
      `gopher://${target}/_x`,
      'data:,x',
    ],
    ...[
      'blob:https://example.com/1',
      'javascript:1',
      `ws://${target}/`,
      `wss://${target}/`,
      `dict://${target}/`,
      'about:blank',
    ],
    ...[
      `unix:/var/run/docker.sock`,
      `http+unix://%2Fvar%2Frun%2Fdocker.sock/`,
      `ldap://${target}/`,
      `tftp://${target}/`,
    ],
    ...[
      `jar:http://${target}/`,
      `view-source:http://${target}/`,
      `sftp://${target}/`,
      'mailto:a@b.example',
      'node:fs',
    ],
  ]
}

const DNS_RECORDS: Readonly<Record<string, readonly string[]>> = {
  'mapped.private.example': ['::ffff:127.0.0.1'],
  'nat64.private.example': ['64:ff9b::7f00:1'],
  'sixtofour.private.example': ['2002:7f00:1::'],
  'ula.private.example': ['fd12:3456::1'],
  'mixed.private.example': ['127.0.0.1', '93.184.215.14'],
  'mixed-last.private.example': ['93.184.215.14', '2606:2800:21f::1', '::1'],
  'v6-loopback.private.example': ['::1'],
  'empty.private.example': [],
  'garbage.private.example': ['0x7f.1'],
  'public.example': ['93.184.215.14'],
}

/** A resolver for the corpus that never sends a query: unknown names resolve to 127.0.0.1. */
export async function resolveCorpusHost(
  host: string,
): Promise<{ address: string; family: number }[]> {
  if (host.startsWith('nowhere.')) throw new Error('getaddrinfo ENOTFOUND')
  const octets = /^(\d+)-(\d+)-(\d+)-(\d+)\.private\.example$/.exec(host)
  const records = DNS_RECORDS[host] ?? [octets ? octets.slice(1).join('.') : '127.0.0.1']
  return records.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}
