import type { ScriptInput } from '../script.ts'
import { boolean, choice, field, number, text } from './values.ts'

type LinuxScript = Omit<ScriptInput, 'language' | 'osTypes'> & { language?: 'bash' | 'sh' }

const user = text('user', 'User', { required: true, pattern: '[a-z_][a-z0-9_-]{0,31}' })

const entries: readonly LinuxScript[] = [
  {
    key: 'linux/disk-usage',
    name: 'Disk usage',
    description: 'Warns about local file systems that are short of space or inodes.',
    category: 'Disks',
    tags: ['disk', 'check'],
    parameters: [
      number('warn_percent', 'Warn from this percentage', [1, 100], 85),
      field('Custom field for the highest percentage'),
    ],
    timeoutSeconds: 60,
  },
  {
    key: 'linux/clean-temporary-files',
    name: 'Clean temporary files',
    description: 'Deletes old files from /tmp and /var/tmp, and keeps those that belong to services.',
    category: 'Disks',
    tags: ['disk', 'cleanup'],
    parameters: [
      number('days', 'Delete files older than this many days', [1, 3650], 7),
      boolean('dry_run', 'Only count the files'),
    ],
  },
  {
    key: 'linux/smart-health',
    name: 'Drive health (SMART)',
    description: 'Warns about drives whose own diagnosis expects a failure. Requires smartctl.',
    category: 'Disks',
    tags: ['disk', 'hardware', 'check'],
    parameters: [field('Custom field for the number of failing drives')],
  },
  {
    key: 'linux/raid-health',
    name: 'RAID health',
    description: 'Warns about software RAID arrays that miss a drive, are inactive or are being rebuilt.',
    category: 'Disks',
    tags: ['disk', 'raid', 'check'],
    parameters: [field('Custom field for the number of findings')],
    timeoutSeconds: 60,
  },
  {
    key: 'linux/failed-services',
    name: 'Failed services',
    description: 'Warns about systemd units that have failed.',
    category: 'Services',
    tags: ['systemd', 'check'],
    language: 'sh',
    parameters: [text('ignore', 'Units to ignore, separated by commas')],
    timeoutSeconds: 60,
  },
  {
    key: 'linux/ensure-service',
    name: 'Start or stop a service',
    description: 'Starts or stops a systemd service, and sets whether it starts with the machine.',
    category: 'Services',
    tags: ['systemd'],
    parameters: [
      text('service', 'Service', { required: true, pattern: '[A-Za-z0-9_][A-Za-z0-9@_.:\\\\-]{0,200}' }),
      choice('state', 'State', 'running', 'stopped'),
      choice('at_boot', 'At the start of the machine', 'unchanged', 'enabled', 'disabled'),
    ],
  },
  {
    key: 'linux/ensure-package',
    name: 'Install or remove a package',
    description: 'Installs or removes one package with apt, dnf, yum or zypper. A package that others need stays.',
    category: 'Packages',
    tags: ['packages'],
    parameters: [
      text('package', 'Package', { required: true, pattern: '[A-Za-z0-9][A-Za-z0-9+._-]{0,127}' }),
      choice('state', 'State', 'present', 'absent'),
    ],
    timeoutSeconds: 1800,
  },
  {
    key: 'linux/pending-updates',
    name: 'Pending updates',
    description: 'Counts the updates that the package manager offers, and warns about security updates.',
    category: 'Updates',
    tags: ['updates', 'check'],
    parameters: [
      boolean('refresh', 'Refresh the package lists first'),
      field('Custom field for the number of updates'),
    ],
    timeoutSeconds: 600,
  },
  {
    key: 'linux/install-updates',
    name: 'Install updates',
    description: 'Installs pending updates of packages, and warns if the machine must restart. It does not restart it.',
    category: 'Updates',
    tags: ['updates'],
    parameters: [choice('scope', 'Updates', 'security', 'all')],
    timeoutSeconds: 7200,
  },
  {
    key: 'linux/reboot-required',
    name: 'Restart required',
    description: 'Warns if updates wait for a restart of the machine.',
    category: 'Updates',
    tags: ['updates', 'check'],
    language: 'sh',
    parameters: [field('Custom field for the answer (true or false)')],
    timeoutSeconds: 120,
  },
  {
    key: 'linux/ensure-user',
    name: 'Create or lock a user',
    description:
      'Creates a local user, adds it to groups, and locks or unlocks it. Accounts of the system are refused.',
    category: 'Users',
    tags: ['users'],
    parameters: [
      user,
      text('groups', 'Groups, separated by commas'),
      text('shell', 'Shell', { default: '/bin/bash', pattern: '/[A-Za-z0-9/._-]+' }),
      choice('state', 'State', 'present', 'locked'),
    ],
    timeoutSeconds: 60,
  },
  {
    key: 'linux/ssh-authorized-key',
    name: 'Authorized SSH key',
    description: 'Adds a public key to the authorized keys of a user, or removes it.',
    category: 'SSH',
    tags: ['ssh', 'users'],
    parameters: [user, text('key', 'Public key', { required: true }), choice('state', 'State', 'present', 'absent')],
    timeoutSeconds: 60,
  },
  {
    key: 'linux/ssh-hardening',
    name: 'Restrict SSH sign-in',
    description:
      'Restricts sign-in over SSH. It checks the configuration, and restores the previous one if sshd refuses it.',
    category: 'SSH',
    tags: ['ssh', 'security'],
    parameters: [
      choice('root_login', 'Sign-in of root', 'prohibit-password', 'no'),
      boolean('passwords', 'Allow passwords'),
      number('max_auth_tries', 'Attempts per connection', [1, 20], 4),
    ],
    timeoutSeconds: 60,
  },
  {
    key: 'linux/firewall-port',
    name: 'Open or close a port',
    description: 'Opens or closes a port in ufw or firewalld, whichever is active.',
    category: 'Firewall',
    tags: ['firewall', 'network'],
    parameters: [
      number('port', 'Port', [1, 65_535]),
      choice('protocol', 'Protocol', 'tcp', 'udp'),
      choice('state', 'State', 'open', 'closed'),
    ],
    timeoutSeconds: 60,
  },
  {
    key: 'linux/journal-errors',
    name: 'Errors in the journal',
    description: 'Counts errors in the systemd journal, and warns if there are many.',
    category: 'Logs',
    tags: ['logs', 'check'],
    parameters: [
      number('hours', 'Hours to look back', [1, 720], 24),
      number('warn_at', 'Warn from this many errors', [1, 100_000], 100),
      field('Custom field for the number of errors'),
    ],
  },
  {
    key: 'linux/limit-journal',
    name: 'Limit the journal',
    description: 'Limits the disk space of the systemd journal, and deletes older entries.',
    category: 'Logs',
    tags: ['logs', 'disk'],
    parameters: [number('mebibytes', 'Limit in MiB', [16, 100_000], 500)],
  },
  {
    key: 'linux/config-line',
    name: 'Line of a configuration file',
    description: 'Makes sure that a file below /etc has a line, or that it does not. It writes the file in one step.',
    category: 'Configuration',
    tags: ['configuration'],
    parameters: [
      text('path', 'File', { required: true, pattern: '/etc/.+' }),
      text('line', 'Line', { required: true }),
      text('replace', 'Beginning of lines to replace'),
      choice('state', 'State', 'present', 'absent'),
    ],
    timeoutSeconds: 60,
  },
  {
    key: 'linux/container-health',
    name: 'Container health',
    description:
      'Warns about containers of Docker or Podman that are unhealthy, restart all the time or ended with an error.',
    category: 'Containers',
    tags: ['containers', 'check'],
    parameters: [text('ignore', 'Containers to ignore, separated by commas')],
    timeoutSeconds: 120,
  },
  {
    key: 'linux/agent-health',
    name: 'Agent health',
    description:
      'Checks the installation of the Muster agent: its service, and the space and permissions of its data folder.',
    category: 'Agent',
    tags: ['agent', 'check'],
    language: 'sh',
    parameters: [number('free_mebibytes', 'Warn below this many free MiB', [1, 999_999], 200)],
    timeoutSeconds: 60,
  },
]

export const linuxScripts: readonly ScriptInput[] = entries.map((entry) => ({
  language: 'bash',
  osTypes: ['linux'],
  ...entry,
}))
