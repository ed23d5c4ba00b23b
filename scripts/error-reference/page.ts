import { refusalCodes } from '@muster/areas/control/commands/delivery/ask-device.ts'
import '@muster/areas/vocabulary.contract.ts'
import '@muster/kit/errors.ts'
import { type Advice, httpAdvice } from '@muster/areas/error-advice.rules.ts'
import type { ErrorCode } from '@muster/kit/errors.ts'
import { statusOfCode } from '@muster/kit/vocabulary.ts'
import { closeCodes } from '@muster/wire/close-codes.ts'
import { agentAdvice, orderAdvice, updateAdvice } from './agent.ts'
import { callbackAdvice, skipAdvice } from './sign-in.ts'

/** Each code needs its advice. */
const every: Readonly<Record<ErrorCode, Advice>> = httpAdvice

const introduction = `# Error codes

Written by \`npm run errors\` from the tables in the code. Do not edit.

Every error of the HTTP API is \`{ "code": "…", "message": "…" }\` with further fields where the table names them. Decide by \`code\`; show
\`message\` to people. [api.md](api.md#errors) describes requests and responses.
`

/** The text of docs/errors.md. */
export function errorReference(): string {
  return [
    introduction,
    '## Codes of the HTTP API\n',
    table(
      ['code', 'status', 'cause', 'remedy'],
      Object.entries(every).map(([code, advice]) => [quoted(code), String(statusOfCode(code)), ...cells(advice)]),
    ),
    '## Codes of agents\n',
    'The `error` of a failed command begins with one of these codes and a colon. For interactive commands the code is `deviceCode` of the',
    'HTTP error, and the second column is its `code`.\n',
    table(
      ['code', 'HTTP code', 'cause', 'remedy'],
      Object.entries(agentAdvice).map(([code, advice]) => [
        quoted(code),
        quoted(refusalCodes[code] ?? 'DEVICE_REFUSED'),
        ...cells(advice),
      ]),
    ),
    '## Refused orders\n',
    'An agent rejects an [order](../packages/wire/README.md#orders) that is not valid. The refusal is in the audit log as `device.order_refused`.\n',
    table(['code', 'cause', 'remedy'], rows(orderAdvice)),
    '## Devices that a bulk command skipped\n',
    table(['reason', 'cause', 'remedy'], rows(skipAdvice)),
    '## Refused or failed updates\n',
    table(['reason', 'cause', 'remedy'], rows(updateAdvice)),
    '## Failed single sign-on\n',
    'The sign-in page gets one of these as `error` in its address.\n',
    table(['error', 'cause', 'remedy'], rows(callbackAdvice)),
    '## Close codes of agent sockets\n',
    table(
      ['code', 'name', 'meaning', 'reconnect'],
      Object.values(closeCodes).map(({ code, name, meaning, mayReturn, minimumDelayMs }) => [
        String(code),
        quoted(name),
        meaning,
        `${mayReturn === 'renewed' ? 'with another certificate, ' : ''}after at least ${minimumDelayMs / 1000} s`,
      ]),
    ),
  ].join('\n')
}

const quoted = (code: string) => `\`${code}\``
const cells = ({ cause, remedy }: Advice) => [cause, remedy]
const rows = (advice: Readonly<Record<string, Advice>>) =>
  Object.entries(advice).map(([code, each]) => [quoted(code), ...cells(each)])

function table(titles: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`
  return `${[line(titles), `|${'---|'.repeat(titles.length)}`, ...body.map(line)].join('\n')}\n`
}
