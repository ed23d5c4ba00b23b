import { describe, expect, it } from 'vitest'
import { mailTemplates } from './outbox.ts'
import { renderMail } from './templates.ts'

const hostile = '<img src=x onerror=alert(1)>\r\nBcc: victim@example.test'

describe('mail templates', () => {
  it('show data as text, and put the subject on one line', () => {
    const data = Object.fromEntries(
      ['name', 'tenant', 'invitedBy', 'review', 'partner', 'contact', 'what', 'url'].map((field) => [field, hostile]),
    )
    for (const template of mailTemplates) {
      const { subject, text, html } = renderMail(template, data)
      expect(subject).not.toMatch(/[\r\n]/)
      expect(html).not.toContain('<img')
      expect(text.length).toBeGreaterThan(20)
      expect(text).not.toContain('undefined')
    }
  })

  it('greet by name unless the name could be a message', () => {
    expect(renderMail('reset-password', { name: 'Zoë O’Hara-Śmith Jr.' }).text).toContain('Hello Zoë O’Hara-Śmith Jr.,')
    for (const name of ['You won! See evil.example', 'https://evil.example', 'www evil', 'a'.repeat(61)]) {
      expect(renderMail('verify-email', { name }).text).toContain('Hello,')
    }
  })

  it('contain the target of the link in both forms', () => {
    const { text, html } = renderMail('invitation', { url: 'https://muster.test/accept-invite#token=a&b' })
    expect(text).toContain('https://muster.test/accept-invite#token=a&b')
    expect(html).toContain('href="https://muster.test/accept-invite#token=a&amp;b"')
  })

  it('of an invitation have no text of the inviter in the subject, and no message as the name of a tenant', () => {
    const data = { tenant: 'You won! Visit evil.example now', invitedBy: 'ann@example.test', name: 'Zoë' }
    const { subject, text } = renderMail('invitation', data)
    expect(subject).toBe('You are invited to Muster')
    expect(text).not.toContain('evil.example')
    expect(text).toContain('ann@example.test invites you to an organization.')
    expect(renderMail('invitation', { ...data, tenant: 'Smith & Søns (North), Inc.' }).text).toContain('Smith & Søns')
  })

  it('reject an unknown name', () => {
    expect(() => renderMail('made-up', {})).toThrow('unknown mail template')
  })
})
