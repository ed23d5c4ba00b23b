import type { Parameter } from './script.ts'
import type { ScriptTemplate } from './script-templates.ts'
import type { SystemScript } from './system-scripts.ts'

const introduction = `# System script library

Muster comes with these scripts. Each takes its parameters from its environment, as \`PARAM_\` and the name in capitals, and refuses values that it
does not understand. Each prints one line that begins with a word, and after a warning what it found:

| line | exit code | meaning |
|---|---|---|
| \`ok\` | 0 | a check found nothing |
| \`changed\` | 0 | the machine was changed |
| \`unchanged\` | 0 | the machine was already as it should be; a repeated run ends like this |
| \`warning\` | 2 | a check found something, or something is left to do |
| \`error\` | 1 | the script could not do its work |

A script with the parameter \`field\` writes its result into that [custom field](commands.md#custom-fields-from-scripts).

## What ran

The agent's own runner runs each script of Linux and Python in tests, in a sandbox with a file system of its own: success, failure and a second run. In that sandbox
systemd, apt, dnf, rpm, zypper, Docker, Podman, ufw, firewalld, smartctl and the journal are simulated; users, SSH keys, sshd, files, certificates, ports and time servers
are real. No script ran with yum or on macOS. Of the templates, those for the shell and Python ran in the same sandbox.

The scripts and templates for Windows are parsed with the grammar of PowerShell. They never ran.
`

/** The page of the documentation that lists the library. */
export function libraryPage(scripts: readonly SystemScript[], templates: readonly ScriptTemplate[]): string {
  const groups = Map.groupBy(scripts, ({ key }) => key.split('/')[0] ?? '')
  const titles = new Map([
    ['linux', 'Linux'],
    ['python', 'Python'],
    ['windows', 'Windows'],
  ])
  const sections = [...groups].map(([group, members]) => {
    const entries = members.map((script) => described(script, script.parameters, 'No parameters.'))
    return [`## ${titles.get(group)}`, ...entries].join('\n\n')
  })
  const forms = templates.map((template) => described(template, template.blanks, 'No blanks.'))
  return `${[introduction, [...sections, `## Templates\n\n${templatesHint}`, ...forms].join('\n\n')].join('\n')}\n`
}

const templatesHint =
  'A template becomes a script when its blanks are filled. Each value is written as a quoted literal of the language, so it is never code.'

type Described = Pick<SystemScript, 'key' | 'name' | 'description' | 'category'>

function described(
  { key, name, description, category }: Described,
  parameters: readonly Parameter[],
  none: string,
): string {
  const lines = parameters.map((parameter) => `- \`${parameter.name}\`: ${parameter.label}${limitsOf(parameter)}`)
  const list = lines.length > 0 ? lines.join('\n') : none
  return `### ${name}\n\n\`${key}\` (${category}). ${description}\n\n${list}`
}

function limitsOf({ type, required, default: value, choices, min, max }: Parameter): string {
  const kind = choices === undefined ? type : `one of ${choices.map((each) => `\`${each}\``).join(', ')}`
  const range = min === undefined ? '' : ` from ${min} to ${max}`
  const rest = required ? ', required' : value === undefined ? '' : `; default \`${value}\``
  return ` (${kind}${range}${rest})`
}
