"""Checks an evidence bundle of Runyard with nothing but Python: python3 verify.py FILE [KEYS], where KEYS is a file with the keys to trust (docs/guides/evidence.md)."""
import base64, datetime, hashlib, io, itertools, json, re, struct, sys, zipfile, zlib
P, L, D = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493, -121665 * pow(121666, -1, 2**255 - 19)  # RFC 8032, 5.1
sha, number, text_of = lambda raw: hashlib.sha256(raw).digest(), lambda raw: int.from_bytes(raw, 'little'), lambda value: json.dumps(value, sort_keys=True)
links = lambda rows: list(itertools.accumulate(map(sha, rows), lambda link, digest: sha(link + digest), initial=bytes(32)))
need, key_id = lambda fits, place: fits or sys.exit(f'Not true: {place} does not fit.'), lambda key: sha(base64.b64decode(key)).hex()[:16]
def point(raw):
    sign, y = divmod(number(raw), 2**255)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    return next(x for x in (pow(square, (P + 3) // 8, P) * pow(2, (P - 1) // 4 * k, P) % P for k in range(4)) if x * x % P == square and x % 2 == sign), y
add = lambda p, q: ((p[0] * q[1] + q[0] * p[1]) * pow(1 + (t := D * p[0] * q[0] * p[1] * q[1]), -1, P) % P, (p[1] * q[1] + p[0] * q[0]) * pow(1 - t, -1, P) % P)
times, packed = lambda n, p: (0, 1) if n == 0 else add(times(n - 1, p), p) if n % 2 else times(n // 2, add(p, p)), lambda p: (p[1] + (p[0] % 2 << 255)).to_bytes(32, 'little')
def is_signed(text, signature, key):
    (x, y), s, h = point(key), number(signature[32:]), number(hashlib.sha512(signature[:32] + key + text).digest()) % L
    return s < L and packed(add(times(s, point(bytes([0x58] + [0x66] * 31))), times(h, (P - x, y)))) == signature[:32]
def check_rows(path, files):  # the file beside it has a line for each row: its digest, and the link after it
    rows, sums = re.findall(rb'[^\n]+', files[path]), re.findall('(?s).{1,130}', files.get(path + '.sha256', b'').decode('latin1'))
    right = (f'{sha(row).hex()} {link.hex()}\n' for row, link in zip(rows, links(rows)[1:]))
    for n, (line, sum_of) in enumerate(itertools.zip_longest(sums, right, fillvalue='-'), 1):
        need(line == sum_of, f'{path}{".sha256" if any(part in line for part in sum_of.split()) else ""} row {n}')
def check_seals(run, files, sums, keys, remarks, before=None, held=(0, 0)):  # adds the keys that signed, and what is to be asked about
    paths = [f'{run["folder"]}{name}' for name in ('events.jsonl', 'steps.jsonl', 'messages.jsonl', 'seals.jsonl', 'config.json')]
    rows = [files.get(path, b'').split(b'\n')[:-1] for path in paths]
    events, steps, messages, seals, _ = ([json.loads(row, parse_int=float) for row in part] for part in rows)
    told = {said['seq']: (n, said) for n, row in [*enumerate(events, 1)][::-1] for said in (event.get('message') for event in row['events']) if isinstance(said, dict)}
    of = [told.get(message['seq'], (len(events) + 1, {})) for message in messages]  # the row of events that has it, and what that says
    for n, (head, seal, signed) in enumerate(((sha(row['seal'].encode()).hex(), json.loads(row['seal']), row['signature']) for row in seals), 1):
        part = dict(events=rows[0], steps=rows[1], messages=[row for row, (at, said) in zip(rows[2], of) if said.get('truncated') and at <= seal['events']['rows']])
        known = [name for name in part if name not in run['erased'] and ('events' not in run['erased'] or name == 'steps')]
        fits = [links(part[name][:seal[name]['rows']])[-1].hex() == seal[name]['link'] for name in known] + [sums.get(paths[4]) in (None, seal['config_sha256'])]
        if signed:  # null: not signed yet, or not with a key of the service
            fits += [is_signed(signed['text'].encode(), *map(base64.b64decode, (signed['signature'], signed['public_key']))), head in json.loads(signed['text'])['heads']]
            held, keys[signed['public_key']] = (seal['events']['rows'], seal['steps']['rows']), f'{paths[3]} row {n}'
            late = datetime.datetime.fromisoformat(json.loads(signed['text'])['at'][:-1] + '+00:00').timestamp() / 60 - max(row['at'] for row in events[:held[0]]) / 60000 if events else 0
            remarks += [f'{paths[3]} row {n} was signed {late:.0f} minutes after the last event that it holds'] if abs(late) > 10 else []
        before = need(all(fits) and (seal['run_id'], seal['number'], seal['before']) == (run['id'], n, before), f'{paths[3]} row {n}') and head
    for n, (message, (_, said)) in enumerate(zip(messages, of), 1):
        need(said.get('truncated') or text_of(said) == text_of({name: {**message, 'run_id': run['id']}.get(name) for name in said}), f'{paths[2]} row {n}')
    need('messages' in run['erased'] or told.keys() <= {message['seq'] for message in messages}, paths[0])
    free = [range(held[0] + 1, len(events) + 1), range(held[1] + 1, len(steps) + 1), [n for n, (at, _) in enumerate(of, 1) if at > held[0]]]
    remarks += [f'{path} row {these[0]} is the first of {len(these)} in no signed seal' for path, these in zip(paths, free) if these] + ([] if held[0] else [f'{paths[3]} has no signed seal'])
def check(data, trusted=(), at=0, end=0):
    (size, start), head = struct.unpack('<2I', data[-10:-2]), data.rfind(b'manifest.json{') + 13
    text, signature, kind, central = data[head:start - 163], data[start - 105:start - 16], struct.pack('<5H', 20, 0x0808, 0, 0, 33), []
    need(start + size + 22 == len(data), 'end record') and need(zlib.crc32(text) == number(data[start - 159:start - 155]), 'manifest.json')
    manifest, keys, remarks, is_whole = json.loads(text), {}, [], zlib.crc32(signature) == number(data[start - 12:start - 8])
    need(is_whole and base64.b64encode(raw := base64.b64decode(signature)) + b'\n' == signature and is_signed(text, raw, base64.b64decode(manifest['public_key'])), 'manifest.sig')
    sums, sizes = ({file['path']: file[field] for file in manifest['files']} for field in ('sha256', 'bytes'))
    if sum(46 + len(path.encode()) + sizes[path] for path in sizes) != head - 43: sizes = {info.filename: info.file_size for info in zipfile.ZipFile(io.BytesIO(data)).infolist()[:-2]}
    files = {path: data[(end := end + 46 + len(path.encode()) + sizes[path]) - 16 - sizes[path]:end - 16] for path in sizes}
    for path in {**files, **sums}: need(path in files and not (path.endswith('.jsonl') and check_rows(path, files)) and sha(files[path]).hex() == sums.get(path), path)
    for path, body in {**files, 'manifest.json': text, 'manifest.sig': signature}.items():  # every byte follows from names and contents
        name, crc = path.encode(), struct.pack('<3I', zlib.crc32(body), len(body), len(body))
        central.append((path, b'PK\1\2\x14\3' + kind + crc + struct.pack('<5H2I', len(name), 0, 0, 0, 0, 0o100644 << 16, at) + name))
        at += need(data.startswith(entry := b'PK\3\4' + kind + bytes(12) + struct.pack('<2H', len(name), 0) + name + body + b'PK\7\x08' + crc, at), path) and len(entry)
    for path, record in [*central, ('end record', b'PK\5\6' + struct.pack('<4H2IH', 0, 0, len(central), len(central), size, at, 0))]: at += need(data.startswith(record, at), path) and len(record)
    for run in manifest['runs']: check_seals(run, files, sums, keys, remarks)
    for key, place in {**keys, manifest['public_key']: 'manifest.json'}.items(): need(key in (trusted or [key]), f'{place} (its key is {key_id(key)})')
    print(*(f'Remark: {remark}.' for remark in remarks), f'True, signed with the key {key_id(manifest["public_key"])}, its seals with {" ".join(map(key_id, keys)) or "none"}', sep='\n')
if __name__ == '__main__': check(open(sys.argv[1], 'rb').read(), *(re.findall('[A-Za-z0-9+/]{43}=', open(path).read()) for path in sys.argv[2:3]))
