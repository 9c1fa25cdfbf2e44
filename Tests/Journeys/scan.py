"""Reads QR codes like a camera: renders the SVG file and prints the content of its code."""

import io
import sys

import PIL.Image
import resvg_py
import zxingcpp

with open(sys.argv[1], encoding="utf-8") as file:
    drawn = resvg_py.svg_to_bytes(svg_string=file.read())
picture = PIL.Image.open(io.BytesIO(bytes(drawn)))
codes = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)
print("\n".join(code.text for code in codes))
