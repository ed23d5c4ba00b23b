import type { ScriptInput } from '../script.ts'
import { boolean, choice, field, number, text } from './values.ts'

const entries: readonly Omit<ScriptInput, 'language'>[] = [
  {
    key: 'python/certificate-expiry',
    name: 'Certificate expiry',
    description: 'Warns about certificates that expire soon, in files and of servers.',
    category: 'Certificates',
    osTypes: ['linux', 'macos'],
    tags: ['certificates', 'check'],
    parameters: [
      number('days', 'Warn this many days before', [1, 9999], 30),
      text('files', 'Files or patterns in PEM, separated by commas'),
      text('servers', 'Servers with ports, separated by commas'),
      field('Custom field for the earliest end'),
    ],
  },
  {
    key: 'python/file-baseline',
    name: 'File baseline',
    description: 'Stores the hashes of files at its first run, and warns about every later difference.',
    category: 'Files',
    osTypes: ['linux', 'macos'],
    tags: ['files', 'security', 'check'],
    parameters: [
      text('paths', 'Files and folders, separated by commas', { required: true }),
      text('name', 'Name of the baseline', { default: 'default', pattern: '[a-z0-9][a-z0-9-]{0,63}' }),
      boolean('accept', 'Accept the present state as the baseline'),
    ],
    timeoutSeconds: 900,
  },
  {
    key: 'python/large-files',
    name: 'Large files',
    description: 'Lists the largest files below a folder, without leaving its file system.',
    category: 'Files',
    osTypes: ['linux', 'macos'],
    tags: ['files', 'disk'],
    parameters: [
      text('folder', 'Folder', { default: '/', pattern: '/.*' }),
      number('count', 'Number of files', [1, 100], 20),
      number('min_mebibytes', 'Smallest size in MiB', [1, 1_000_000], 100),
    ],
    timeoutSeconds: 900,
  },
  {
    key: 'python/network-reach',
    name: 'Network reach',
    description: 'Checks that names resolve and that ports of other machines answer.',
    category: 'Network',
    osTypes: ['linux', 'macos'],
    tags: ['network', 'check'],
    parameters: [
      text('targets', 'Names or addresses with ports, separated by commas', { required: true }),
      number('seconds', 'Seconds to wait for each', [1, 60], 5),
    ],
    timeoutSeconds: 900,
  },
  {
    key: 'python/listening-ports',
    name: 'Listening ports',
    description: 'Warns about ports that listen to other machines and are not on a list.',
    category: 'Network',
    osTypes: ['linux'],
    tags: ['network', 'security', 'check'],
    parameters: [
      text('allowed', 'Allowed ports such as 22/tcp or 5000-5999, separated by commas'),
      choice('protocols', 'Protocols', 'tcp', 'udp', 'both'),
    ],
    timeoutSeconds: 60,
  },
  {
    key: 'python/time-offset',
    name: 'Time offset',
    description: 'Measures how far the clock of the machine is from a time server.',
    category: 'Time',
    osTypes: ['linux', 'macos'],
    tags: ['time', 'check'],
    parameters: [
      text('server', 'Time server', { default: 'pool.ntp.org' }),
      number('warn_ms', 'Warn from this many milliseconds', [1, 99_999_999], 1000),
      field('Custom field for the offset in milliseconds'),
    ],
    timeoutSeconds: 60,
  },
  {
    key: 'python/backup-age',
    name: 'Age of the newest backup',
    description: 'Warns if the newest backup in a folder is too old or too small.',
    category: 'Backups',
    osTypes: ['linux', 'macos'],
    tags: ['backups', 'check'],
    parameters: [
      text('folder', 'Folder', { required: true, pattern: '/.*' }),
      text('pattern', 'Pattern of the file names', { default: '*' }),
      number('hours', 'Warn if it is older than this many hours', [1, 8760], 26),
      number('min_bytes', 'Warn if it has fewer bytes', [0, 999_999_999_999], 1),
      field('Custom field for its time'),
    ],
  },
  {
    key: 'python/facts-to-fields',
    name: 'Facts to custom fields',
    description: 'Writes facts of the machine into custom fields, such as its kernel, time zone or serial number.',
    category: 'Custom fields',
    osTypes: ['linux'],
    tags: ['fields', 'inventory'],
    parameters: [
      text('fields', 'Pairs of field and fact such as os_kernel=kernel, separated by commas', { required: true }),
    ],
    timeoutSeconds: 60,
  },
  {
    key: 'python/privileged-accounts',
    name: 'Privileged accounts',
    description:
      'Warns about local accounts with rights of root that are not expected, and about accounts without a password.',
    category: 'Users',
    osTypes: ['linux'],
    tags: ['users', 'security', 'check'],
    parameters: [text('expected', 'Expected users, separated by commas', { default: 'root' })],
    timeoutSeconds: 60,
  },
]

export const pythonScripts: readonly ScriptInput[] = entries.map((entry) => ({ language: 'python', ...entry }))
