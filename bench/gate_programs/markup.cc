/* SPDX-License-Identifier: BSD-3-Clause */
/* TinyXML-2: a document is made, printed, read, and searched. */
#include "tinyxml2.h"

#include <cstring>

using namespace tinyxml2;

static void make(XMLDocument &document)
{
    XMLElement *list = document.NewElement("measurements");
    document.InsertEndChild(list);
    for (int i = 0; i < 400; i++) {
        XMLElement *one = document.NewElement(i % 3 ? "a_long_name_of_an_element" : "sample");
        one->SetAttribute("number", i);
        one->SetAttribute("unit", i % 5 ? "a < b & c" : "seconds");
        one->SetAttribute("place", "here");
        one->SetText("some text with \"quotes\", <brackets> & other entities in it");
        list->InsertEndChild(one);
    }
}

static int search(const XMLDocument &document)
{
    int found = 0;
    const XMLElement *list = document.FirstChildElement("measurements");
    for (const XMLElement *one = list->FirstChildElement("sample"); one; one = one->NextSiblingElement("sample"))
        found += one->IntAttribute("number") + (std::strcmp(one->Attribute("unit"), "seconds") == 0);
    return found;
}

int main()
{
    XMLDocument document, again;
    make(document);
    XMLPrinter printer;
    document.Print(&printer);
    for (int i = 0; i < 10; i++)
        if (again.Parse(printer.CStr(), static_cast<size_t>(printer.CStrSize() - 1)) != XML_SUCCESS || search(again) != search(document))
            return 1;
    for (int i = 0; i < 10; i++) {
        XMLPrinter twice;
        again.Print(&twice);
        if (std::strcmp(printer.CStr(), twice.CStr()) != 0)
            return 2;
    }
    return 0;
}
