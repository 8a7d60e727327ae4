// Procedures that a new agent can begin with. Each runs as it stands, and shows one thing that agents are for.

export interface Template {
  id: string
  name: string
  /** What it shows, in a sentence. */
  says: string
  procedure: string
}

const fence = '```'
const block = (head: string, body = ''): string => [fence + head, ...(body === '' ? [] : [body]), fence].join('\n')
const page = (title: string, ...parts: string[]): string => `${[`# ${title}`, ...parts].join('\n\n')}\n`

export const templates: Template[] = [
  {
    id: 'approve',
    name: 'Ask before money is spent',
    says: 'Waits for a person’s yes, with a deadline, before it calls another service.',
    procedure: page(
      'Pay an invoice',
      'The message has the `invoice`, the `payee` and the `amount`.',
      block(
        'approve id=pay timeout=2d on_timeout=reject',
        'Pay {{ message.amount | default(0) }} EUR to {{ message.payee | default("nobody") }}?\nInvoice {{ message.invoice | default("without a number") }}.',
      ),
      'Nobody pays twice: the call carries the same key when a crash makes it run again.',
      block(
        'http id=payment on_error=ask',
        'POST https://payments.example.com/payments\n\n{"invoice": {{ message.invoice }}, "amount": {{ message.amount }}}',
      ),
      block('output', '{"paid": {{ steps.payment.ok }}}'),
    ),
  },
  {
    id: 'report',
    name: 'Fetch and compare every night',
    says: 'Calls an API, compares with what it remembers from the run before, and writes a report.',
    procedure: page(
      'Nightly figures',
      block('http id=today retry=2', 'GET https://shop.example.com/figures/today\nAccept: application/json'),
      block(
        'file path=report.md',
        '# Orders\n\nToday: {{ steps.today.output.body.orders }}\nThe day before: {{ memory["orders.md"] | default("unknown") }}',
      ),
      'The next run compares with today.',
      block('memory path=orders.md', '{{ steps.today.output.body.orders }}'),
      block('output', '{"orders": {{ steps.today.output.body.orders }}}'),
    ),
  },
  {
    id: 'form',
    name: 'Collect details with a form',
    says: 'Asks a person for several fields at once and works on with the answers.',
    procedure: page(
      'A new supplier',
      block(
        'ask id=details timeout=3d on_timeout=continue',
        'Details of the new supplier\nThe tax number may follow later.\n{"type": "object", "required": ["name", "terms"], "properties": {"name": {"type": "string", "title": "Name of the company"}, "terms": {"type": "string", "title": "Payment terms", "enum": ["14 days", "30 days"]}, "tax_number": {"type": "string", "title": "Tax number"}}}',
      ),
      block('file path=supplier.json', '{{ steps.details.output.values }}'),
      block('output', '{{ steps.details.output.values }}'),
    ),
  },
  {
    id: 'cases',
    name: 'Work the cases of a queue',
    says: 'Closes simple cases by itself and asks a person about the others. It needs a trigger on a queue.',
    procedure: page(
      'Answer a support request',
      block(
        'case if="case.title contains \'password\'"',
        'complete\n{"answer": "Use the link on the page where you sign in."}',
      ),
      block('output if="case.title contains \'password\'"', 'Answered without a person.'),
      block(
        'ask id=decide header=Support timeout=1d',
        'How do we answer “{{ case.title | default("no title") }}”?\n- Refund: the customer gets the money back\n- Replace: the customer gets a new one\n- Refuse: we explain why not',
      ),
      block('case', 'complete\n{"answer": {{ steps.decide.output.answers }}}'),
      block('output', '{{ steps.decide.output.answers }}'),
    ),
  },
  {
    id: 'browser',
    name: 'Read a page without an API',
    says: 'Opens a browser, reads what stands there, and keeps a picture of every action.',
    procedure: page(
      'Days since delivery',
      'The message has the `parcel`.',
      block(
        'browser id=tracking retry=1',
        'open https://track.example.com/\ntype Tracking number = {{ message.parcel | default("") }}\nclick Track\nread Days since delivery\nscreenshot',
      ),
      block('output', '{"days": {{ steps.tracking.output.content }}}'),
    ),
  },
  {
    id: 'script',
    name: 'Sort a file with a script',
    says: 'Runs a script in a sandbox on files of the run, and keeps what comes out.',
    procedure: page(
      'Import orders',
      block('file path=orders.csv', 'id,amount\n1,12.50\n2,x\n3,7.00'),
      block(
        'python id=split timeout=30s',
        'import csv\nrows = list(csv.DictReader(open("orders.csv")))\ngood = [row for row in rows if row["amount"].replace(".", "").isdigit()]\nprint(len(good), "of", len(rows))',
      ),
      block('output', 'Imported {{ steps.split.output.stdout | trim }} orders.'),
    ),
  },
]
