// The hardware and software of the simulated machines.

export interface Model {
  readonly manufacturer: string
  readonly model: string
  readonly chassis: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGib: readonly [number, ...number[]]
  readonly diskGb: readonly [number, ...number[]]
}

export interface Program {
  readonly name: string
  readonly publisher: string
  readonly versions: readonly [string, ...string[]]
  /** Percentage of the machines that have it. */
  readonly share: number
}

export interface Platform {
  readonly osType: 'linux' | 'windows' | 'macos'
  readonly osName: string
  readonly versions: readonly [readonly [string, string], ...(readonly [string, string])[]]
  readonly architecture: string
  /** Prefix of the names of such machines. */
  readonly prefix: string
  readonly models: readonly [Model, ...Model[]]
  readonly programs: readonly Program[]
  readonly services: readonly (readonly [name: string, displayName: string])[]
  readonly disk: { readonly name: string; readonly mount: string; readonly fileSystem: string }
  readonly network: string
  readonly source: string
}

const laptops: readonly [Model, ...Model[]] = [
  {
    manufacturer: 'Dell Inc.',
    model: 'Latitude 5450',
    chassis: 'notebook',
    cpu: 'Intel Core Ultra 5 135U',
    cores: 12,
    memoryGib: [16, 32],
    diskGb: [256, 512],
  },
  {
    manufacturer: 'LENOVO',
    model: 'ThinkPad T14 Gen 5',
    chassis: 'notebook',
    cpu: 'AMD Ryzen 7 PRO 8840U',
    cores: 8,
    memoryGib: [16, 32],
    diskGb: [512, 1000],
  },
  {
    manufacturer: 'HP',
    model: 'EliteBook 840 G11',
    chassis: 'notebook',
    cpu: 'Intel Core Ultra 7 155H',
    cores: 16,
    memoryGib: [16, 32, 64],
    diskGb: [512, 1000],
  },
  {
    manufacturer: 'HP',
    model: 'ProDesk 400 G9',
    chassis: 'desktop',
    cpu: 'Intel Core i5-14500T',
    cores: 14,
    memoryGib: [8, 16],
    diskGb: [256, 512],
  },
]
const servers: readonly [Model, ...Model[]] = [
  {
    manufacturer: 'Dell Inc.',
    model: 'PowerEdge R660',
    chassis: 'rack',
    cpu: 'Intel Xeon Gold 6430',
    cores: 32,
    memoryGib: [64, 128, 256],
    diskGb: [960, 1920, 3840],
  },
  {
    manufacturer: 'QEMU',
    model: 'Standard PC (Q35)',
    chassis: 'virtual',
    cpu: 'AMD EPYC 9354',
    cores: 4,
    memoryGib: [4, 8, 16],
    diskGb: [40, 80, 160],
  },
  {
    manufacturer: 'VMware, Inc.',
    model: 'VMware20,1',
    chassis: 'virtual',
    cpu: 'Intel Xeon Gold 6338',
    cores: 8,
    memoryGib: [8, 16, 32],
    diskGb: [80, 160, 320],
  },
]
const macs: readonly [Model, ...Model[]] = [
  {
    manufacturer: 'Apple Inc.',
    model: 'MacBook Air (M3)',
    chassis: 'notebook',
    cpu: 'Apple M3',
    cores: 8,
    memoryGib: [16, 24],
    diskGb: [256, 512],
  },
  {
    manufacturer: 'Apple Inc.',
    model: 'MacBook Pro (M4 Pro)',
    chassis: 'notebook',
    cpu: 'Apple M4 Pro',
    cores: 12,
    memoryGib: [24, 48],
    diskGb: [512, 1000],
  },
]

const desk: readonly Program[] = [
  {
    name: 'Google Chrome',
    publisher: 'Google LLC',
    versions: ['142.0.7444.176', '142.0.7444.163', '141.0.7390.123'],
    share: 92,
  },
  { name: 'Mozilla Firefox', publisher: 'Mozilla', versions: ['145.0.1', '144.0.2', '140.5.0 ESR'], share: 58 },
  {
    name: 'Microsoft Teams',
    publisher: 'Microsoft Corporation',
    versions: ['25290.302.4044', '25275.2601.4002'],
    share: 81,
  },
  { name: 'Slack', publisher: 'Slack Technologies', versions: ['4.47.59', '4.46.104'], share: 34 },
  { name: 'Zoom Workplace', publisher: 'Zoom Communications', versions: ['6.6.11', '6.6.6', '6.5.12'], share: 63 },
  { name: '1Password', publisher: 'AgileBits', versions: ['8.11.18', '8.11.14'], share: 27 },
  { name: 'Visual Studio Code', publisher: 'Microsoft Corporation', versions: ['1.106.1', '1.105.1'], share: 31 },
  { name: 'VLC media player', publisher: 'VideoLAN', versions: ['3.0.21', '3.0.20'], share: 22 },
]

const windowsPrograms: readonly Program[] = [
  ...desk,
  {
    name: 'Microsoft 365 Apps for business',
    publisher: 'Microsoft Corporation',
    versions: ['16.0.19328.20190', '16.0.19231.20194'],
    share: 88,
  },
  {
    name: 'Microsoft Edge',
    publisher: 'Microsoft Corporation',
    versions: ['142.0.3595.90', '142.0.3595.80'],
    share: 100,
  },
  { name: '7-Zip 25.01 (x64)', publisher: 'Igor Pavlov', versions: ['25.01'], share: 66 },
  { name: 'Adobe Acrobat (64-bit)', publisher: 'Adobe', versions: ['25.001.20844', '25.001.20756'], share: 71 },
  { name: 'Notepad++ (64-bit x64)', publisher: 'Notepad++ Team', versions: ['8.8.7', '8.8.5'], share: 40 },
  { name: 'PuTTY release 0.83 (64-bit)', publisher: 'Simon Tatham', versions: ['0.83.0.0'], share: 18 },
]

const windowsServices = [
  ['Spooler', 'Print Spooler'],
  ['wuauserv', 'Windows Update'],
  ['WinDefend', 'Microsoft Defender Antivirus Service'],
  ['Dnscache', 'DNS Client'],
  ['LanmanWorkstation', 'Workstation'],
  ['EventLog', 'Windows Event Log'],
  ['BITS', 'Background Intelligent Transfer Service'],
  ['W32Time', 'Windows Time'],
] as const

const linuxServices = [
  ['ssh.service', 'OpenBSD Secure Shell server'],
  ['cron.service', 'Regular background program processing daemon'],
  ['systemd-journald.service', 'Journal Service'],
  ['systemd-timesyncd.service', 'Network Time Synchronization'],
  ['nginx.service', 'A high performance web server and a reverse proxy server'],
  ['postgresql.service', 'PostgreSQL RDBMS'],
  ['unattended-upgrades.service', 'Unattended Upgrades Shutdown'],
] as const

const package_ = (name: string, share: number, ...versions: [string, ...string[]]): Program => ({
  name,
  publisher: 'Debian',
  versions,
  share,
})
const linuxPrograms: readonly Program[] = [
  package_('openssl', 100, '3.5.4-1~deb13u1', '3.0.17-1~deb12u3'),
  package_('openssh-server', 99, '1:10.0p1-7', '1:9.2p1-2+deb12u7'),
  package_('nginx', 48, '1.26.3-3+deb13u1', '1.22.1-9+deb12u3'),
  package_('postgresql-17', 33, '17.6-0+deb13u1'),
  package_('redis-server', 21, '5:8.0.2-3'),
  package_('curl', 97, '8.14.1-2+deb13u2', '7.88.1-10+deb12u14'),
  package_('bash', 100, '5.2.37-2+b5', '5.2.15-2+b9'),
  package_('python3', 88, '3.13.5-1', '3.11.2-1+b1'),
  package_('docker-ce', 29, '5:28.5.2-1', '5:28.4.0-1'),
  package_('sudo', 92, '1.9.16p2-3', '1.9.13p3-1+deb12u2'),
]

/** The kinds of machines, each with its percentage. */
export const platforms: readonly [readonly [Platform, number], ...(readonly [Platform, number])[]] = [
  [
    {
      osType: 'windows',
      osName: 'Microsoft Windows 11 Pro',
      versions: [
        ['25H2', '10.0.26200.7171'],
        ['24H2', '10.0.26100.7171'],
        ['23H2', '10.0.22631.6199'],
      ],
      architecture: 'x64',
      prefix: 'ws',
      models: laptops,
      programs: windowsPrograms,
      services: windowsServices,
      disk: { name: 'C:', mount: 'C:\\', fileSystem: 'NTFS' },
      network: 'Ethernet',
      source: 'registry',
    },
    54,
  ],
  [
    {
      osType: 'windows',
      osName: 'Microsoft Windows Server 2022 Standard',
      versions: [
        ['21H2', '10.0.20348.4405'],
        ['21H2', '10.0.20348.4171'],
      ],
      architecture: 'x64',
      prefix: 'srv',
      models: servers,
      programs: windowsPrograms.filter(({ publisher }) => publisher !== 'Adobe'),
      services: windowsServices,
      disk: { name: 'C:', mount: 'C:\\', fileSystem: 'NTFS' },
      network: 'Ethernet0',
      source: 'registry',
    },
    11,
  ],
  [
    {
      osType: 'linux',
      osName: 'Debian GNU/Linux',
      versions: [
        ['13', '6.12.57+deb13-amd64'],
        ['12', '6.1.0-41-amd64'],
      ],
      architecture: 'x64',
      prefix: 'lx',
      models: servers,
      programs: linuxPrograms,
      services: linuxServices,
      disk: { name: '/dev/vda1', mount: '/', fileSystem: 'ext4' },
      network: 'ens18',
      source: 'dpkg',
    },
    14,
  ],
  [
    {
      osType: 'linux',
      osName: 'Ubuntu',
      versions: [
        ['24.04', '6.8.0-87-generic'],
        ['22.04', '5.15.0-161-generic'],
      ],
      architecture: 'arm64',
      prefix: 'edge',
      models: servers,
      programs: linuxPrograms,
      services: linuxServices,
      disk: { name: '/dev/nvme0n1p1', mount: '/', fileSystem: 'ext4' },
      network: 'eth0',
      source: 'dpkg',
    },
    7,
  ],
  [
    {
      osType: 'macos',
      osName: 'macOS',
      versions: [
        ['26.1', '25.1.0'],
        ['15.7.2', '24.6.0'],
      ],
      architecture: 'arm64',
      prefix: 'mac',
      models: macs,
      programs: desk,
      services: [
        ['com.openssh.sshd', 'Remote login'],
        ['com.apple.timed', 'Time'],
        ['com.apple.cloudd', 'iCloud'],
      ],
      disk: { name: 'disk3s5', mount: '/', fileSystem: 'apfs' },
      network: 'en0',
      source: 'applications',
    },
    14,
  ],
]

/** The agent versions of the simulated machines; the last ones missed their updates. */
export const agentVersions: readonly [readonly [string, number], ...(readonly [string, number])[]] = [
  ['1.0.0', 84],
  ['0.9.6', 12],
  ['0.8.2', 4],
]
