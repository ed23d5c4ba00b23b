import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CommandStatus } from './commands.contract.ts'
import { commandEvents, hasEnded, nextStatus, openStatuses, statusesBefore } from './commands.rules.ts'

const events = fc.array(fc.constantFrom(...commandEvents), { maxLength: 30 })
const after = (history: readonly (typeof commandEvents)[number][]) =>
  history.reduce<CommandStatus>((status, event) => nextStatus(status, event) ?? status, 'pending')

describe('command states', () => {
  it('keeps the end of a command, whichever report follows', () => {
    fc.assert(
      fc.property(events, events, (earlier, later) => {
        const ended = after(earlier)
        fc.pre(hasEnded(ended))
        expect(after([...earlier, ...later])).toBe(ended)
      }),
    )
  })

  it('keeps a command running until it ends', () => {
    fc.assert(
      fc.property(events, (later) => {
        const status = after(['running', ...later])
        expect(status === 'running' || hasEnded(status)).toBe(true)
      }),
    )
  })

  it('ends a command by the first report of an end', () => {
    const isEnd = (event: (typeof commandEvents)[number]) => hasEnded(after([event]))
    fc.assert(
      fc.property(events, (history) => {
        const first = history.find(isEnd)
        expect(hasEnded(after(history))).toBe(first !== undefined)
        if (first !== undefined) expect(after(history)).toBe(first)
      }),
    )
  })

  it('ignores a repeated report', () => {
    fc.assert(
      fc.property(events, (history) => {
        const doubled = history.flatMap((event) => [event, event])
        expect(after(doubled)).toBe(after(history))
      }),
    )
  })

  it('returns only a command that did not start to pending', () => {
    expect(CommandStatus.options.filter((status) => nextStatus(status, 'refused') === 'pending')).toEqual(['sent'])
  })

  it('lists exactly the states that an event may change', () => {
    fc.assert(
      fc.property(fc.constantFrom(...commandEvents), fc.constantFrom(...CommandStatus.options), (event, status) => {
        expect(statusesBefore(event).includes(status)).toBe(nextStatus(status, event) !== null)
      }),
    )
    expect(openStatuses).toEqual(['pending', 'sent', 'running'])
  })
})
