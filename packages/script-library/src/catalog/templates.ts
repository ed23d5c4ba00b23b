import type { TemplateInput } from '../script.ts'
import { boolean, choice, field, number, text } from './values.ts'

const unixPath = '/.+'
const drivePath = '[A-Za-z]:\\\\[^<>:"|?*]*'
const word = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}'
const onUnix = ['linux', 'macos'] as const
const path = (name: string, label: string) => text(name, label, { required: true, pattern: unixPath })

export const templates: readonly TemplateInput[] = [
  {
    key: 'templates/download-file',
    name: 'Download a file',
    description: 'Downloads a file over HTTPS, checks its SHA-256 and puts it in place in one step. Requires curl.',
    category: 'Files',
    language: 'bash',
    osTypes: ['linux'],
    blanks: [
      text('url', 'Address', { required: true, pattern: 'https://[^\\s]+' }),
      path('path', 'File'),
      text('sha256', 'SHA-256', { required: true, pattern: '[0-9a-f]{64}' }),
      boolean('executable', 'Executable'),
    ],
  },
  {
    key: 'templates/delete-old-files',
    name: 'Delete old files',
    description: 'Deletes old files from one folder and the folders in it.',
    category: 'Files',
    language: 'bash',
    osTypes: ['linux'],
    blanks: [
      path('folder', 'Folder'),
      text('pattern', 'Pattern of the file names', { default: '*' }),
      number('days', 'Older than this many days', [1, 3650]),
    ],
  },
  {
    key: 'templates/archive-folder',
    name: 'Archive a folder',
    description: 'Packs a folder into an archive with the date in its name, and keeps the newest archives.',
    category: 'Backups',
    language: 'bash',
    osTypes: ['linux'],
    blanks: [
      path('folder', 'Folder'),
      path('target', 'Folder of the archives'),
      text('name', 'Name of the archives', { required: true, pattern: word }),
      number('keep', 'Archives to keep', [1, 1000], 7),
    ],
  },
  {
    key: 'templates/check-process',
    name: 'Check a process',
    description: 'Warns if too few processes of a program run.',
    category: 'Services',
    language: 'sh',
    osTypes: ['linux'],
    blanks: [text('program', 'Program', { required: true }), number('least', 'At least this many', [1, 1000], 1)],
  },
  {
    key: 'templates/check-mount',
    name: 'Check a mount',
    description: 'Warns if a file system is not mounted, or if it cannot be written.',
    category: 'Disks',
    language: 'bash',
    osTypes: ['linux'],
    blanks: [path('mount_point', 'Mount point'), boolean('writable', 'It must be writable', true)],
  },
  {
    key: 'templates/file-permissions',
    name: 'Permissions of a file',
    description: 'Sets the owner, the group and the permissions of one file or folder.',
    category: 'Files',
    language: 'bash',
    osTypes: ['linux'],
    blanks: [
      path('path', 'File or folder'),
      text('owner', 'Owner', { default: 'root', pattern: word }),
      text('group', 'Group', { default: 'root', pattern: word }),
      choice('mode', 'Mode', '0644', '0600', '0640', '0755', '0750', '0700'),
    ],
  },
  {
    key: 'templates/check-url',
    name: 'Check a page',
    description: 'Warns if a page does not answer with the expected status and text.',
    category: 'Network',
    language: 'python',
    osTypes: [...onUnix, 'windows'],
    blanks: [
      text('url', 'Address', { required: true, pattern: 'https?://[^\\s]+' }),
      number('status', 'Status', [100, 599], 200),
      text('text', 'Text of the page', { default: '' }),
      number('seconds', 'Seconds to wait', [1, 120], 10),
    ],
  },
  {
    key: 'templates/count-log-matches',
    name: 'Count lines of a log',
    description: 'Counts the lines of a log that contain a text, and warns if there are many.',
    category: 'Logs',
    language: 'python',
    osTypes: [...onUnix, 'windows'],
    blanks: [
      text('path', 'File', { required: true }),
      text('text', 'Text', { required: true }),
      number('warn_at', 'Warn from this many lines', [1, 1_000_000], 1),
    ],
  },
  {
    key: 'templates/folder-size',
    name: 'Size of a folder',
    description: 'Measures the disk space of a folder, and warns if it is large.',
    category: 'Disks',
    language: 'python',
    osTypes: [...onUnix, 'windows'],
    blanks: [
      text('folder', 'Folder', { required: true }),
      number('warn_mebibytes', 'Warn from this many MiB', [1, 1_000_000_000]),
      { ...field('Custom field for the MiB'), default: '' },
    ],
  },
  {
    key: 'templates/json-setting',
    name: 'Setting of a JSON file',
    description: 'Sets one text in a JSON file, which it writes in one step.',
    category: 'Configuration',
    language: 'python',
    osTypes: [...onUnix],
    blanks: [
      path('path', 'File'),
      text('key', 'Key, with a point between its parts', { required: true }),
      text('value', 'Value', { required: true }),
    ],
  },
  {
    key: 'templates/windows-check-process',
    name: 'Check a process (Windows)',
    description: 'Warns if too few processes of a program run.',
    category: 'Services',
    language: 'powershell',
    osTypes: ['windows'],
    blanks: [
      text('program', 'Program, without .exe', { required: true }),
      number('least', 'At least this many', [1, 1000], 1),
    ],
  },
  {
    key: 'templates/windows-registry-value',
    name: 'Value of the registry',
    description: 'Sets one value of the registry below HKEY_LOCAL_MACHINE.',
    category: 'Configuration',
    language: 'powershell',
    osTypes: ['windows'],
    blanks: [
      text('key', 'Key below HKEY_LOCAL_MACHINE', { required: true, pattern: '(SOFTWARE|SYSTEM)\\\\.+' }),
      text('name', 'Name', { required: true }),
      choice('kind', 'Type', 'String', 'DWord', 'ExpandString'),
      text('value', 'Value', { required: true }),
    ],
  },
  {
    key: 'templates/windows-delete-old-files',
    name: 'Delete old files (Windows)',
    description: 'Deletes old files from one folder, but not from the folders in it.',
    category: 'Files',
    language: 'powershell',
    osTypes: ['windows'],
    blanks: [
      text('folder', 'Folder', { required: true, pattern: drivePath }),
      text('pattern', 'Pattern of the file names', { default: '*' }),
      number('days', 'Older than this many days', [1, 3650]),
    ],
  },
  {
    key: 'templates/windows-scheduled-task',
    name: 'Scheduled task',
    description: 'Enables or disables one scheduled task.',
    category: 'Configuration',
    language: 'powershell',
    osTypes: ['windows'],
    blanks: [
      text('folder', 'Folder of the task', { default: '\\', pattern: '\\\\.*' }),
      text('name', 'Name of the task', { required: true }),
      boolean('enabled', 'Enabled'),
    ],
  },
]
