import { Link } from '@tanstack/react-router'
import { linkClass, Step } from './Gate.tsx'

/** A link from a mail without its token. */
export function Dead({ title }: { readonly title: string }) {
  return (
    <Step title={title} lead="This link is not complete. Open it again from the mail, or copy the whole address.">
      <Link to="/login" className={linkClass}>
        Go to sign in
      </Link>
    </Step>
  )
}
